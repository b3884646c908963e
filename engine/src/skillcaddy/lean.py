"""Modules that a short process names in its imports but hardly ever uses, loaded at their first use."""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Late(ModuleType):
    """Stands in for a module until an attribute of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system looks for its own marks
            raise AttributeError(name)
        from importlib import import_module

        if sys.modules.get(self.__name__) is self:
            sys.modules.pop(self.__name__, None)
        return getattr(import_module(self.__name__), name)


HARDLY_USED = ("inspect", "shutil", "ipaddress", "ntpath")
"""What the standard library and we import for the rare case.

Before 3.12 `dataclasses` imports inspect (and with it ast, dis and tokenize) for classes without a docstring only;
the index's store imports shutil (and the compressors) for cleaning up only, urllib.parse imports ipaddress for odd
addresses, and pathlib imports ntpath for paths of another system.
"""


def spare(*names: str) -> None:
    """Let these modules, else all hardly used ones, load when they are used: that saves a process a tenth of its time.

    Call it before anything is imported.
    """
    for name in names or HARDLY_USED:
        sys.modules.setdefault(name, _Late(name))
