"""Frozen, keyword-only data classes that cost next to nothing to define.

`dataclasses` writes and compiles half a dozen methods for each class, 0.4 ms a class, which for the classes of one
turn's process is a tenth of its time. Here all classes share the same few methods. A type checker is told that these
are data classes, and whoever treats them as such (`dataclasses.fields`, `replace` and `asdict`, a data class that is
derived from one) finds what it takes, made when it is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass, field, replace
    from typing import Any, NoReturn

__all__ = ["dataclass", "field", "replace"]


class _Field:
    """What a class says of a field beside its name and type."""

    def __init__(
        self,
        *,
        default: Any = None,
        default_factory: Callable[[], Any] | None = None,
        compare: bool = True,
        repr: bool = True,  # noqa: A002 - as `dataclasses` names them
    ) -> None:
        self.default = default
        self.make = default_factory
        self.compare = compare
        self.repr = repr


class _Fields:
    """The fields of a class as `dataclasses` knows them, made when somebody looks."""

    def __get__(self, instance: object, owner: Any) -> Any:
        import dataclasses

        rows: list[tuple[Any, ...]] = []
        for name, kind in owner.__kinds__.items():
            given = owner.__given__.get(name)
            if given is None:
                rows.append((name, kind))
                continue
            default = {"default": given.default} if given.make is None else {"default_factory": given.make}
            rows.append((name, kind, dataclasses.field(**default, compare=given.compare, repr=given.repr)))
        twin: Any = dataclasses.make_dataclass(owner.__name__, rows, frozen=True, kw_only=True)
        owner.__dataclass_params__, owner.__dataclass_fields__ = twin.__dataclass_params__, twin.__dataclass_fields__
        return twin.__dataclass_fields__


class _Shared:
    """The methods that all these classes have."""

    def __eq__(self, other: object) -> bool:
        return _seen(self, "compare") == _seen(other, "compare") if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(_seen(self, "compare").values()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in _seen(self, "repr").items())
        return f"{type(self).__qualname__}({shown})"

    def __replace__(self, **changes: Any) -> Any:
        return type(self)(**{**vars(self), **changes})

    def __setattr__(self, name: str, value: object) -> NoReturn:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")


_METHODS = [
    (name, vars(_Shared)[name])
    for name in ("__eq__", "__hash__", "__repr__", "__replace__", "__setattr__", "__delattr__")
]


def _dataclass(*, frozen: bool, kw_only: bool) -> Callable[[type], type]:
    """Makes a class a data class; both words are said for those who read the class, there are no others."""
    assert frozen, "these classes are frozen"
    assert kw_only, "these classes are keyword-only"
    return _completed


def _completed(cls: Any) -> Any:
    kinds: dict[str, str] = cls.__annotations__
    defaults = {name: vars(cls)[name] for name in kinds if name in vars(cls)}
    given = {name: said if isinstance(said, _Field) else _Field(default=said) for name, said in defaults.items()}
    blank = {name: given[name].default if name in given else None for name in kinds}
    required = kinds.keys() - given.keys()
    made = [(name, entry.make) for name, entry in given.items() if entry.make is not None]
    hidden = {word: [name for name, entry in given.items() if not getattr(entry, word)] for word in ("compare", "repr")}

    def filled(self: object, **values: Any) -> None:
        state = {**blank, **values}  # in the order of the fields
        if len(state) != len(blank) or not required <= values.keys():
            missing, unknown = sorted(required - values.keys()), sorted(values.keys() - kinds.keys())
            raise TypeError(f"{cls.__qualname__}: missing fields {missing}, unknown fields {unknown}")
        for name, make in made:
            if name not in values:
                state[name] = make()
        object.__setattr__(self, "__dict__", state)

    for name, said in defaults.items():
        if said is given[name]:
            delattr(cls, name)  # no value of the class
    cls.__init__ = filled
    for name, method in _METHODS:
        setattr(cls, name, method)
    cls.__kinds__, cls.__given__, cls.__hidden__, cls.__dataclass_fields__ = kinds, given, hidden, _Fields()
    return cls


def _seen(made: Any, word: str) -> dict[str, Any]:
    """The fields that count when two are compared, or those that are shown."""
    hidden = made.__hidden__[word]
    return vars(made) if not hidden else {name: value for name, value in vars(made).items() if name not in hidden}


def _replace(known: Any, **changes: Any) -> Any:
    """A copy with these fields changed; of other data classes too."""
    if hasattr(known, "__replace__"):
        return known.__replace__(**changes)
    import dataclasses

    return dataclasses.replace(known, **changes)


if not TYPE_CHECKING:
    dataclass, field, replace = _dataclass, _Field, _replace
