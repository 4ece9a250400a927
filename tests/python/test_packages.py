"""Which package of the wheel may import which other, and which packages of others."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "python/src"

ORDER = (
    "ducklake_spark_catalog",
    "ducklake_spark_report",
    "ducklake_spark",
    "ducklake_spark_cli",
)
"""Each may import those before it."""

OF_OTHERS = {
    "ducklake_spark_catalog": {"duckdb", "psycopg"},
    "ducklake_spark_report": {"matplotlib"},
    "ducklake_spark": {"pyarrow", "pyspark", "rich"},
    "ducklake_spark_cli": {"click", "pyspark", "rich", "tomli"},
}
"""What each imports that is neither here nor in Python: an extra is needed where it is used."""


def imported(package: str) -> Iterator[tuple[str, str]]:
    """Where a package imports something, also in a function, and the package that it imports."""
    for file in sorted((SOURCES / package).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in names:
                yield f"{file.relative_to(SOURCES)}:{node.lineno}", name.partition(".")[0]


@pytest.mark.parametrize("package", ORDER)
def test_a_package_imports_only_those_before_it(package: str) -> None:
    allowed = ORDER[: ORDER.index(package) + 1]

    against = [
        f"{where} imports {name}"
        for where, name in imported(package)
        if name.startswith("ducklake_spark") and name not in allowed
    ]

    assert against == []


@pytest.mark.parametrize("package", ORDER)
def test_a_package_needs_only_its_own_of_others(package: str) -> None:
    found = {name for _, name in imported(package) if not name.startswith("ducklake_spark")}

    assert found - sys.stdlib_module_names - {"tomllib"} == OF_OTHERS[package]


def test_the_catalog_is_read_by_python_alone() -> None:
    folder = SOURCES / ORDER[0]
    names = sorted(f"{folder.name}.{file.stem}" for file in folder.glob("*.py"))
    code = f"import sys; sys.path.insert(0, {str(SOURCES)!r}); import {', '.join(names)}"

    # Without site-packages.
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_the_wheel_has_every_package() -> None:
    listed = re.findall(r'^ *"src/(\w+)",$', (SOURCES.parent / "pyproject.toml").read_text(), re.M)

    assert tuple(listed) == ORDER
    assert {file.parent.name for file in SOURCES.glob("*/__init__.py")} == set(ORDER)
