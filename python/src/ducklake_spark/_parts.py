"""Keeps the parts of the package out of `from ducklake_spark import *`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType


def hide(package: dict[str, object]) -> Callable[[str], ModuleType]:
    """Take the modules out of the names of a package; `package.module` still finds them.

    One of them is called `lake`, as a variable of most users. A list `__all__` would keep them out
    too, but with it `help` prints every class of the package in full.

    Args:
        package: the names in the package.

    Returns:
        The function that Python asks for a name that the package does not have.
    """
    parts = {
        name
        for name, value in package.items()
        if isinstance(value, ModuleType) and not name.startswith("_")
    }
    for name in (*parts, "annotations"):
        del package[name]
    package_name = str(package["__name__"])

    def part(name: str) -> ModuleType:
        if name in parts:
            return sys.modules[f"{package_name}.{name}"]
        raise AttributeError(f"module {package_name!r} has no attribute {name!r}")

    return part
