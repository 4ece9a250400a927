"""The bills of materials in jar and wheel name what is in them besides our own code."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any
from zipfile import ZipFile

import ducklake_spark as dl
from ducklake_spark_catalog.sparks import LINES

from support.builds import built

PACKAGES = {
    "ducklake/shaded/pool2/": "commons-pool2",
    "ducklake/shaded/postgresql/": "postgresql",
    "org/checkerframework/": "checker-qual",
    "org/duckdb/": "duckdb_jdbc",
    "org/sqlite/": "sqlite-jdbc",
}
"""Folders of classes and libraries, and the library that they are from."""


def bills(wheel: ZipFile) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each bill of the wheel and of its jars, by its path."""
    for name in wheel.namelist():
        if name.endswith(".cdx.json"):
            yield name, json.loads(wheel.read(name))
        if "-thin-" in name:
            with ZipFile(wheel.open(name)) as jar:
                for inside in jar.namelist():
                    if inside.startswith("META-INF/sbom/") and not inside.endswith("/"):
                        yield inside, json.loads(jar.read(inside))


def test_wheel_and_jars_have_a_bill_each() -> None:
    with ZipFile(built("DUCKLAKE_WHEEL", "target/dist/*.whl")) as wheel:
        found = dict(bills(wheel))

    version = dl.__version__
    lines = sorted(set(LINES.values()))
    jars = {f"META-INF/sbom/ducklake-spark-{line}_2.13.cdx.json": line for line in lines}
    package = f"ducklake_spark-{version}.dist-info/sboms/ducklake-spark.cdx.json"
    assert set(found) == {package, *jars}
    purls = {name: bill["metadata"]["component"]["purl"] for name, bill in found.items()}
    maven = "pkg:maven/io.github.ducklake-spark/ducklake-spark-{}_2.13@{}"
    assert purls == {
        package: f"pkg:pypi/ducklake-spark@{version}",
        **{name: maven.format(line, version) for name, line in jars.items()},
    }
    for bill in found.values():
        assert bill["components"] == found[package]["components"]


def test_a_bill_names_all_that_is_in_the_jar() -> None:
    with ZipFile(built("DUCKLAKE_WHEEL", "target/dist/*.whl")) as wheel:
        _, bill = next(bills(wheel))
        common = next(name for name in wheel.namelist() if "-common-" in name)
        with ZipFile(wheel.open(common)) as jar:
            classes = [
                name for name in jar.namelist() if re.search(r"\.(class|so|dylib|dll)$", name)
            ]

    foreign = [name for name in classes if not re.match(r"ducklake/(?!shaded/)", name)]
    strangers = [name for name in foreign if not name.startswith(tuple(PACKAGES))]
    assert strangers == []
    there = {
        library for folder, library in PACKAGES.items() for n in foreign if n.startswith(folder)
    }
    assert {part["name"] for part in bill["components"]} == there == set(PACKAGES.values())


def test_a_part_has_version_hash_and_licence() -> None:
    with ZipFile(built("DUCKLAKE_WHEEL", "target/dist/*.whl")) as wheel:
        _, bill = next(bills(wheel))

    for part in bill["components"]:
        assert part["purl"].endswith(f"/{part['name']}@{part['version']}")
        assert part["licenses"], part["name"]
        (hashed,) = part["hashes"]
        assert hashed["alg"] == "SHA-256"
        assert len(hashed["content"]) == 2 * hashlib.sha256().digest_size
