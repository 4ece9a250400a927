"""What `./sbt repository` makes: a Maven artifact for each line of Spark, taken by coordinates."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import ducklake_spark as dl
import pytest

from support.forms import shell
from support.lakes import LakeFactory
from support.pages import DOCS, REPOSITORY, blocks
from support.peer import Peer
from support.sweep import only_in_the_full_sweep

MAVEN = "{http://maven.apache.org/POM/4.0.0}"
LINES = ("4.0", "4.1", "4.2")


@pytest.fixture(scope="module")
def repository() -> Path:
    """The repository that the build made."""
    place = Path(os.environ.get("DUCKLAKE_REPOSITORY") or REPOSITORY / "target/repository")
    if not place.exists():
        raise pytest.UsageError(f"nothing at {place}: run ./sbt repository")
    return place


@pytest.fixture(scope="module", params=LINES)
def artifact(request: pytest.FixtureRequest, repository: Path) -> Path:
    """The files of an artifact, as far as their names agree."""
    name = f"ducklake-spark-{request.param}_2.13"
    folder = repository / "io/github/ducklake-spark" / name / dl.__version__
    return folder / f"{name}-{dl.__version__}"


def texts(pom: ElementTree.Element, *names: str) -> Sequence[str | None]:
    """The texts of elements along a path."""
    return [found.text for found in pom.findall("/".join(MAVEN + name for name in names))]


def test_the_pom_says_what_an_index_shows_and_needs_nothing_more(artifact: Path) -> None:
    pom = ElementTree.parse(f"{artifact}.pom").getroot()

    assert texts(pom, "description") == ["DuckLake lakes in Apache Spark"]
    assert texts(pom, "developers", "developer", "name") == ["The maintainers of ducklake-spark"]
    assert len(texts(pom, "licenses", "license", "name")) == (REPOSITORY / "LICENSE").exists()
    assert texts(pom, "dependencies", "dependency", "artifactId") == []


def test_sources_and_documents_are_jars_beside_it(artifact: Path) -> None:
    sources = zipfile.ZipFile(f"{artifact}-sources.jar").namelist()
    documents = zipfile.ZipFile(f"{artifact}-javadoc.jar").namelist()

    for name in ("catalog/Lake", "files/io/Storage", "spark/DuckLakeCatalog"):
        assert f"ducklake/{name}.scala" in sources
    assert {"index.html", "procedures.html"} <= set(documents)


@only_in_the_full_sweep("a Spark of its own, which resolves the artifact with Ivy")
def test_spark_takes_the_artifact_by_its_coordinates(
    repository: Path, lakes: LakeFactory, tmp_path: Path
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run("CREATE TABLE visits AS SELECT 42 AS id")
    (command,) = [
        block for block in blocks(DOCS / "deployment.md") if block.section == "Maven coordinates"
    ]
    (tmp_path / "ivy.xml").write_text(
        '<ivysettings><settings defaultResolver="built"/><resolvers>'
        f'<ibiblio name="built" m2compatible="true" root="{repository.as_uri()}"/>'
        "</resolvers></ivysettings>"
    )
    settings = dl.settings("lake", lake.uri) | {
        "spark.jars.ivySettings": f"{tmp_path}/ivy.xml",
        "spark.jars.ivy": f"{tmp_path}/ivy",
        "spark.sql.extensions": "ducklake.spark.DuckLakeExtensions",
    }
    lines = [f"{key} {value}\n" for key, value in settings.items()]
    (tmp_path / "lake.conf").write_text("".join(lines))

    assert shell(command.text, tmp_path).splitlines()[-1] == "1"  # Ivy says a line before it
