"""A spared module costs nothing until it is used, and is then the real one."""

from __future__ import annotations

import subprocess
import sys


def run(code: str) -> str:
    lean = "from skillcaddy.lean import spare\nimport sys\n"
    return subprocess.check_output([sys.executable, "-c", lean + code], text=True).strip()


def test_a_spared_module_is_not_loaded_by_an_import() -> None:
    assert run("spare('colorsys')\nimport colorsys\nprint(hasattr(type(colorsys), '__getattr__'))") == "True"
    assert run("spare('inspect')\nimport dataclasses\nprint('ast' in sys.modules)") == "False"


def test_without_names_all_that_is_hardly_used_is_spared() -> None:
    assert run("spare()\nimport dataclasses, pathlib\nprint('ast' in sys.modules, '_winapi' in sys.modules)") == (
        "False False"
    )
    paths = "from pathlib import PurePosixPath, PureWindowsPath\n"
    used = "print(PureWindowsPath('a\\\\b').parts, PurePosixPath('a/b') < PurePosixPath('b'))"
    assert run("spare()\n" + paths + used) == "('a', 'b') True"


def test_its_first_use_loads_the_real_one_for_everybody() -> None:
    used = "import inspect\nprint(inspect.isfunction(run))\nimport inspect as again\nprint(again.__file__ is not None)"
    assert run("spare('inspect')\ndef run(): pass\n" + used) == "True\nTrue"
    assert run("spare('inspect')\nfrom inspect import isfunction\nprint(isfunction(spare))") == "True"


def test_a_module_that_is_loaded_already_stays() -> None:
    assert run("import inspect as real\nspare('inspect')\nimport inspect\nprint(inspect is real)") == "True"


def test_an_attribute_that_the_real_module_lacks_is_an_attribute_error() -> None:
    code = "spare('inspect')\nimport inspect\ntry:\n    inspect.no_such_thing\nexcept AttributeError:\n    print('so')"
    assert run(code) == "so"


def test_classes_with_and_without_docstrings_come_out_as_ever() -> None:
    code = (
        "spare('inspect')\nfrom dataclasses import dataclass\n"
        "@dataclass(frozen=True)\nclass A:\n    x: int = 1\n"
        "@dataclass\nclass B:\n    'Documented.'\n    y: int\n"
        "print(A(), B(y=2), A.__doc__)"
    )
    assert run(code) == "A(x=1) B(y=2) A(x: int = 1)"
