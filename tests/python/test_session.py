"""What `configure` sets, without a session."""

from __future__ import annotations

import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import ducklake_spark as dl
import pyspark
import pytest
from ducklake_spark_catalog import sparks
from ducklake_spark_catalog.places import Place
from ducklake_spark_cli.spark import opened
from pyspark import SparkConf
from pyspark.sql import SparkSession

from support.pages import DOCS, of_properties

URI = "ducklake:sqlite:/data/lake.sqlite"
KEY = "spark.sql.catalog.lake"
REDACTION = "spark.redaction.regex"


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> SparkSession.Builder:
    """Of a process without a JVM; what is done to one that runs is in test_starts.py."""
    monkeypatch.setattr("pyspark.SparkContext._gateway", None)
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    return SparkSession.Builder()


class Started(Exception):
    """The JVM would have been started."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[SparkConf]:
    """The settings that a JVM would be started with, which a test does not wait for."""
    found: list[SparkConf] = []

    def launch(conf: SparkConf) -> None:
        found.append(conf)
        raise Started

    monkeypatch.setattr("pyspark.SparkContext._jvm", None)
    monkeypatch.setattr("pyspark.core.context.launch_gateway", launch)
    monkeypatch.setattr(SparkSession, "_instantiatedSession", None)
    return found


def test_a_lake_needs_its_class_and_its_address() -> None:
    found = dl.settings("lake", URI)

    assert found == {KEY: "ducklake.spark.DuckLakeCatalog", f"{KEY}.uri": URI}


@pytest.mark.parametrize(
    ("name", "value", "key", "text"),
    [
        ("read_only", True, "read-only", "true"),
        ("create_if_not_exists", False, "create-if-not-exists", "false"),
        ("snapshot_version", 3, "snapshot-version", "3"),
        ("snapshot_time", datetime(2026, 1, 31, 12), "snapshot-time", "2026-01-31 12:00:00"),
        ("snapshot_time", date(2026, 1, 31), "snapshot-time", "2026-01-31"),
        ("password_file", Path("/run/pass"), "password-file", "/run/pass"),
        ("retry_max_count", 5, "retry.max-count", "5"),
        ("retry_backoff", 1.5, "retry.backoff", "1.5"),
        ("jdbc_socketTimeout", 30, "jdbc.socketTimeout", "30"),
        ("jdbc_journal_mode", "wal", "jdbc.journal_mode", "wal"),
        ("metadata_schema", "lake", "metadata-schema", "lake"),
        ("meta_type", "x", "meta-type", "x"),
    ],
)
def test_options_are_keys_with_underscores(name: str, value: object, key: str, text: str) -> None:
    found = dl.settings("lake", URI, **{name: value})  # type: ignore[arg-type]

    assert found[f"{KEY}.{key}"] == text


def test_the_data_path_may_be_a_path() -> None:
    found = dl.settings("lake", URI, Path("/data/files"))

    assert found[f"{KEY}.data-path"] == "/data/files"


def test_hadoop_settings_keep_their_names() -> None:
    found = dl.settings("lake", URI, hadoop={"fs.s3a.secret.key": "s", "fs.s3a.threads.max": "9"})

    assert found[f"{KEY}.hadoop.fs.s3a.secret.key"] == "s"
    assert found[f"{KEY}.hadoop.fs.s3a.threads.max"] == "9"


def test_hadoop_settings_are_texts() -> None:
    with pytest.raises(dl.InvalidSettingError, match=r"hadoop\.fs\.s3a\.threads\.max"):
        dl.settings("lake", URI, hadoop={"fs.s3a.threads.max": 9})  # type: ignore[dict-item]


def test_hadoop_settings_with_underscores_are_refused() -> None:
    with pytest.raises(dl.InvalidSettingError, match=r"`hadoop_fs_s3a_access_key`.*hadoop=\{"):
        dl.settings("lake", URI, hadoop_fs_s3a_access_key="k")


@pytest.mark.parametrize(
    "name",
    [
        "fs.s3a.access.key",
        "fs.s3a.secret.key",
        "fs.s3a.session.token",
        "fs.s3a.encryption.key",
        "fs.s3a.server-side-encryption.key",
        "fs.azure.account.key.lake.dfs.core.windows.net",
        "fs.azure.sas.container.lake.blob.core.windows.net",
        "fs.azure.sas.fixed.token.lake.dfs.core.windows.net",
        "fs.azure.encryption.encoded.client-provided-key.lake.dfs.core.windows.net",
        "fs.azure.account.oauth2.client.secret",
        "fs.gs.auth.service.account.private.key",
        "fs.gs.encryption.key",
    ],
)
def test_names_of_secrets_are_hidden(builder: SparkSession.Builder, name: str) -> None:
    dl.configure(builder, "lake", URI, hadoop={name: "hush"})

    assert re.search(builder._options[REDACTION], f"{KEY}.hadoop.{name}")


@pytest.mark.parametrize(
    "key",
    [
        f"{KEY}.uri",
        f"{KEY}.hadoop.fs.s3a.endpoint",
        f"{KEY}.hadoop.fs.azure.account.auth.type.lake.dfs.core.windows.net",
        f"{KEY}.hadoop.hadoop.security.credential.provider.path",
        "spark.io.encryption.keySizeBits",
    ],
)
def test_other_settings_are_shown(builder: SparkSession.Builder, key: str) -> None:
    dl.configure(builder, "lake", URI)

    assert not re.search(builder._options[REDACTION], key)


def test_the_page_about_stores_has_the_same_pattern(builder: SparkSession.Builder) -> None:
    dl.configure(builder, "lake", URI)

    (line,) = re.findall(rf"^{REDACTION} +.*$", (DOCS / "storage.md").read_text(), re.MULTILINE)
    assert of_properties(line) == (REDACTION, builder._options[REDACTION])


def test_a_pattern_of_ones_own_is_kept(
    builder: SparkSession.Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder.config(REDACTION, "mine")

    dl.configure(builder, "lake", URI)
    (tmp_path / "spark-defaults.conf").write_text(f"{REDACTION} ours")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    defaults = dl.configure(SparkSession.Builder(), "lake", URI)

    assert builder._options[REDACTION] == "mine"
    assert REDACTION not in defaults._options


@pytest.mark.parametrize(
    "given",
    [
        {"uri": "ducklake:postgres:dbname=d", "password": "hush"},
        {"uri": "ducklake:postgres:dbname=d password=hush"},
        {"uri": "jdbc:postgresql://h/d?user=u&password=hush"},
        {"uri": "ducklake:postgres:dbname=d", "jdbc_sslpassword": "hush"},
        {"uri": URI, "hadoop": {"fs.s3a.secret.key": "hush"}},
        {"uri": URI, "hadoop": {"fs.azure.account.key.lake.dfs.core.windows.net": "hush"}},
    ],
)
def test_the_jvm_is_started_without_secrets(
    builder: SparkSession.Builder, started: list[SparkConf], given: dict[str, Any]
) -> None:
    dl.configure(dl.configure(builder, "lake", **given), "other", URI, data_path="/data/")

    with pytest.raises(Started):
        builder.config("spark.driver.memory", "3g").getOrCreate()

    (conf,) = started
    settings = dict(conf.getAll())
    assert "hush" not in "".join(settings.values())
    assert settings["spark.driver.memory"] == "3g"
    assert settings["spark.sql.catalog.other.data-path"] == "/data/"
    assert "hush" in "".join(builder._options.values())


def test_the_command_line_starts_the_jvm_without_secrets(
    builder: SparkSession.Builder, started: list[SparkConf]
) -> None:
    place = Place("ducklake:postgres:dbname=d", {"password": "hush", "hadoop.fs.s3a.my.key": "k"})

    with pytest.raises(Started), opened(place):
        pass

    (conf,) = started
    settings = dict(conf.getAll())
    assert settings[f"{KEY}.hadoop.fs.s3a.my.key"] == "k"
    assert "hush" not in "".join(settings.values())


def test_configure_sets_jars_extension_and_catalog(builder: SparkSession.Builder) -> None:
    dl.configure(builder, "lake", URI, "/data/files/")

    assert builder._options == {
        KEY: "ducklake.spark.DuckLakeCatalog",
        f"{KEY}.uri": URI,
        f"{KEY}.data-path": "/data/files/",
        "spark.jars": ",".join(dl.jars()),
        "spark.sql.extensions": "ducklake.spark.DuckLakeExtensions",
        REDACTION: builder._options[REDACTION],
    }


def test_the_extension_can_be_left_out(builder: SparkSession.Builder) -> None:
    dl.configure(builder, "lake", URI, extension=False)

    assert "spark.sql.extensions" not in builder._options


def test_jars_and_extensions_set_before_are_kept(builder: SparkSession.Builder) -> None:
    builder.config("spark.jars", "/other.jar").config("spark.sql.extensions", "a.B")

    dl.configure(dl.configure(builder, "one", URI), "two", URI)

    assert builder._options["spark.jars"] == ",".join(["/other.jar", *dl.jars()])
    assert builder._options["spark.sql.extensions"] == "a.B,ducklake.spark.DuckLakeExtensions"


def test_what_the_defaults_of_spark_name_is_kept(
    builder: SparkSession.Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["# defaults", "", "spark.jars   /other.jar", "spark.sql.extensions=a.B", "odd"]
    (tmp_path / "spark-defaults.conf").write_text("\n".join(lines))
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))

    dl.configure(builder, "lake", URI)

    assert builder._options["spark.jars"] == ",".join(["/other.jar", *dl.jars()])
    assert builder._options["spark.sql.extensions"] == "a.B,ducklake.spark.DuckLakeExtensions"


def test_a_remote_session_gets_no_jars(builder: SparkSession.Builder) -> None:
    builder.config("spark.remote", "sc://localhost")

    dl.configure(builder, "lake", URI)

    assert "spark.jars" not in builder._options
    assert builder._options[f"{KEY}.uri"] == URI


def test_a_server_that_spark_starts_itself_gets_the_jars(builder: SparkSession.Builder) -> None:
    builder.config("spark.remote", "local[1]")

    dl.configure(builder, "lake", URI)

    assert builder._options["spark.jars"] == ",".join(dl.jars())
    assert builder._options["spark.sql.extensions"] == "ducklake.spark.DuckLakeExtensions"


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("read_onyl", "read_only"),
        ("metadata_shema", "metadata_schema"),
        ("retry_count", "retry_max_count"),
        ("data-path", "data_path"),
    ],
)
def test_an_unknown_option_is_refused_at_once(name: str, nearest: str) -> None:
    with pytest.raises(dl.InvalidSettingError, match=f"`{name}` is not known.*`{nearest}`"):
        dl.settings("lake", URI, **{name: 1})  # type: ignore[arg-type]


def test_an_option_needs_a_value() -> None:
    with pytest.raises(dl.InvalidSettingError, match="`read_only` is None"):
        dl.settings("lake", URI, read_only=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", " ", "a.b", None])
def test_a_catalog_has_a_name_of_one_part(name: str) -> None:
    with pytest.raises(dl.InvalidSettingError) as caught:
        dl.settings(name, URI)

    assert caught.value.getCondition() == "DUCKLAKE_INVALID_SETTING"
    assert caught.value.getSqlState() == "42616"


@pytest.mark.parametrize("uri", [None, "", " "])
def test_an_address_is_text(builder: SparkSession.Builder, uri: str) -> None:
    with pytest.raises(dl.InvalidUriError) as caught:
        dl.configure(builder, "lake", uri)

    assert caught.value.getCondition() == "DUCKLAKE_INVALID_URI"
    assert builder._options == {}


def test_the_package_holds_the_connector_and_one_native_library() -> None:
    names = [Path(path).name for path in dl.jars()]

    assert len(names) == 3
    assert names[0].startswith("duckdb_jdbc-2.0.0.1-")
    assert names[1] == f"ducklake-spark-common-{dl.__version__}.jar"
    line = sparks.line_of(pyspark.__version__)
    assert names[2] == f"ducklake-spark-{line}_2.13-thin-{dl.__version__}.jar"
