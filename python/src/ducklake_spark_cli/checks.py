"""What can be wrong around a lake, each with what to do about it. Nothing here starts Spark."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

from ducklake_spark_catalog import address, columns, database, folders, keys, sparks
from ducklake_spark_catalog.address import OnTheWeb
from ducklake_spark_catalog.catalog import READABLE, Catalog, catalog
from ducklake_spark_catalog.data_folder import data_folder
from ducklake_spark_catalog.database import Database
from ducklake_spark_catalog.failure import Failure
from ducklake_spark_catalog.places import Place
from ducklake_spark_catalog.redaction import is_secret
from ducklake_spark_catalog.texts import constant
from ducklake_spark_cli import rights
from ducklake_spark_cli.finding import Finding, few
from ducklake_spark_cli.profiles import config_file

OLDEST_JAVA = 17
WRITABLE = ("1.0", "1.1")
FEW_FILES = 10
"""Nothing is said about small files when upkeep would not save more."""
MUCH_OLD_METADATA = 100
"""Nothing is said about fewer rows and inlined tables."""
OLD_METADATA = (
    (
        ("table_stats", "table_column_stats", "column", "schema_versions"),
        "old.table_id NOT IN (SELECT table_id FROM {table})",
    ),
    (
        ("column_tag", "partition_info", "sort_info", "view", "macro"),
        "old.end_snapshot IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {snapshot} AS kept "
        "WHERE kept.snapshot_id >= old.begin_snapshot AND kept.snapshot_id < old.end_snapshot)",
    ),
)
"""Metadata tables, and what an old row of them fulfils."""


def of_the_machine() -> Iterator[Finding]:
    """Java, PySpark and the jars of the package."""
    yield java()
    yield pyspark()
    yield jars(Path(__file__).parents[1] / "ducklake_spark" / "jars", spark())


def java() -> Finding:
    """The Java that PySpark starts: that of JAVA_HOME, or the one on the path."""
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home, "bin", "java")) if home else shutil.which("java")
    mend = f"Install a JDK {OLDEST_JAVA} or newer, and let JAVA_HOME name its folder."
    if program is None or not Path(program).exists():
        return Finding("Java", "wrong", f"no Java at {program or 'the path'}", mend)
    try:
        answer = subprocess.run([program, "-version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as failure:
        return Finding("Java", "wrong", f"{program} does not run: {failure}", mend)
    number = re.search(rb'version "(\d+)', answer.stderr)
    if number is None:
        return Finding("Java", "wrong", f"{program} does not say its version", mend)
    is_new = int(number[1]) >= OLDEST_JAVA
    found = f"{int(number[1])} at {program}"
    return Finding("Java", "ok" if is_new else "wrong", found, "" if is_new else mend)


def pyspark() -> Finding:
    """The PySpark that is installed, which is not loaded, and the Spark that it starts."""
    mend = "pip install 'pyspark>=4.0,<4.4'"
    try:
        version = metadata.version("pyspark")
    except metadata.PackageNotFoundError:
        return Finding("PySpark", "wrong", "it is not installed", mend)
    started = sparks.home_release() or version
    for release in (version, started):
        if sparks.line_of(release) is None:
            return Finding(
                "PySpark", "wrong", version, f"{mend}: {'. '.join(sparks.refusal(release))}"
            )
    if started.split(".")[:2] != version.split(".")[:2]:
        mend = "Unset SPARK_HOME, or install the PySpark of that Spark."
        return Finding("PySpark", "warning", f"{version}, and SPARK_HOME is of {started}", mend)
    return Finding("PySpark", "ok", version)


def spark() -> str | None:
    """The release of the Spark that PySpark starts; None without PySpark."""
    try:
        return sparks.home_release() or metadata.version("pyspark")
    except metadata.PackageNotFoundError:
        return None


def jars(folder: Path, release: str | None) -> Finding:
    """The connector for a release of Spark, and DuckDB's library, in the package."""
    line = sparks.line_of(release or "")
    folders = [folder] if line is None else [folder, folder / line]
    names = sorted(path.name for each in folders for path in each.glob("*.jar"))
    wanted = ["duckdb_jdbc-", "ducklake-spark-common-"]
    if line is not None:
        wanted.append(f"ducklake-spark-{line}_")
    absent = [start for start in wanted if not any(name.startswith(start) for name in names)]
    if absent:
        mend = "Install the wheel again; in a clone run ./sbt packageJars."
        return Finding("jars", "wrong", f"no jar {'* and no jar '.join(absent)}* in {folder}", mend)
    return Finding("jars", "ok", ", ".join(names))


def of_the_profile(place: Place, config: str | None) -> Iterator[Finding]:
    """The file with the profile: who may read it."""
    file = config_file(config)
    keys = {"uri": place.uri, **place.settings, **place.spark}
    secrets = sorted(key for key, value in keys.items() if is_secret(key, str(value)))
    if place.profile and secrets and file.is_file():
        readable = bool(file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
        mend = f"chmod 600 {file}, or use password-file or a store of Hadoop." if readable else ""
        found = (
            f"{file} holds {' and '.join(secrets)}, "
            f"and {'others' if readable else 'nobody else'} may read it"
        )
        yield Finding("profile", "warning" if readable else "ok", found, mend)


def of_the_lake(place: Place) -> Iterator[Finding]:
    """The address, the catalog database, its version, and what may be written."""
    try:
        where = address.parse(place.uri)
    except OnTheWeb as failure:
        yield Finding("address", "ok", failure.why, "Add --spark to open it.")
        return
    except Failure as failure:
        yield Finding("address", "wrong", failure.why, failure.mend)
        return
    yield Finding("address", "ok", where.display)
    from ducklake_spark_report.asking import told_in_words

    try:
        with database.opened(place) as connection, told_in_words(connection.display):
            if where.kind == "postgres":
                yield from rights.of_a_reader(connection)
            yield version(connection)
            found = catalog(connection)
            yield options(found)
            yield from readers(found)
            yield from small_files(found)
            yield from old_metadata(found)
            yield files(found, place)
            if where.kind == "postgres":
                yield rights.of_a_writer(connection, is_read_only=keys.is_read_only(place))
        if where.kind != "postgres":
            yield writable("catalog file", Path(where.target), place)
    except Failure as failure:
        yield Finding("catalog", "wrong", failure.why, failure.mend)


def version(connection: Database) -> Finding:
    """The version of the catalog, and whether it can be written."""
    rows = connection.rows('SELECT "value" FROM {metadata} WHERE "key" = \'version\'')
    found = str(rows[0]["value"]) if rows else "unknown"
    if found not in READABLE:
        return Finding("catalog", "wrong", f"version {found}", "Update ducklake-spark.")
    if found == "1.1":
        return _of_1_1(connection)
    if found in WRITABLE:
        return Finding("catalog", "ok", f"version {found}")
    # No migration leads from a development version.
    mend = (
        "Write to it with the DuckDB that made it, or copy its tables to a new lake."
        if found == "1.1-dev1"
        else "Set automatic-migration = true to write: DuckDB before 1.5 reads it no more then."
    )
    return Finding("catalog", "warning", f"version {found}, which is only read", mend)


def _of_1_1(connection: Database) -> Finding:
    """Whether a catalog of 1.1 has exactly the columns of 1.1; Spark does not write to others."""
    present = connection.columns({table for table, _ in columns.OF_1_1})
    if unknown := columns.unknown(present):
        found = f"version 1.1, which is only read: {few(unknown)} is not known"
        mend = "Update ducklake-spark, or write to it with DuckDB."
        return Finding("catalog", "warning", found, mend)
    if missing := columns.missing(present):
        found = f"version 1.1, which is only read: {few(missing)} is missing"
        mend = "Write to it with the DuckDB that made it, or copy its tables to a new lake."
        return Finding("catalog", "warning", found, mend)
    return Finding("catalog", "ok", "version 1.1")


def options(found: Catalog) -> Finding:
    """Options that leave a lake growing."""
    stored = {
        row["option_name"]: row["option_value"]
        for row in found.options()
        if row["scope"] == "global"
    }
    if "expire_older_than" not in stored:
        mend = "CALL lake.system.set_option('expire_older_than', '7 days'), if the past may go."
        return Finding("options", "ok", "no snapshot ever expires by itself", mend)
    return Finding("options", "ok", f"snapshots expire after {stored['expire_older_than']}")


def readers(found: Catalog) -> Iterator[Finding]:
    """Registered readers that expiry no longer waits for; nothing without readers."""
    from ducklake_spark_report.readers import readers as readers_of

    try:
        known = readers_of(found, datetime.now(timezone.utc))
    except Failure as failure:
        yield Finding("readers", "wrong", failure.why, failure.mend)
        return
    for each in known:
        if each.is_late:
            yield Finding(
                "readers",
                "warning",
                f"{each.name} of {each.table} has read up to snapshot {each.snapshot}, and has not "
                f"registered since {each.since:%Y-%m-%d %H:%M}: later snapshots may expire",
                f"Start it again, or CALL lake.system.forget_reader({constant(each.name)}).",
            )
    kept = [each.snapshot for each in known if not each.is_late]
    if kept:
        yield Finding("readers", "ok", f"{len(kept)}, which need snapshots from {min(kept)} on")


def small_files(found: Catalog) -> Iterator[Finding]:
    """Small files that upkeep would put together, and those that stay; only when they are many."""
    from ducklake_spark_report.asking import Asking, told_in_words
    from ducklake_spark_report.options import options as options_of
    from ducklake_spark_report.tables import tables

    try:
        with told_in_words(found.database.display):
            asking = Asking(found, found.check(None))
            of_lake = tables(asking, options_of(asking))
    except Failure as failure:
        yield Finding("small files", "wrong", failure.why, failure.mend)
        return
    taken = [each for each in of_lake if each.is_compacted]
    small = sum(each.below_target for each in of_lake)
    before = sum(each.compactable for each in taken)
    after = sum(each.compacted_files for each in taken)
    if before - after < FEW_FILES:
        return
    left_out = small - sum(each.below_target for each in taken)
    alone = small - left_out - before
    deleted = sum(each.with_deletes for each in taken)
    stay = (f"; {alone:,} have no other beside them" if alone else "") + (
        f"; {left_out:,} are left out by auto_compact" if left_out else ""
    )
    yield Finding(
        "small files",
        "warning",
        f"{small:,} of {sum(each.files for each in of_lake):,} data files are below "
        f"target_file_size; {before:,}, {deleted:,} of them with deleted rows, can become "
        f"{after:,}{stay}",
        "CALL lake.system.checkpoint(), once a day.",
    )


def old_metadata(found: Catalog) -> Iterator[Finding]:
    """Rows of the catalog and inlined tables that no expiry removes; only when they are many."""
    if found.version not in WRITABLE:
        return
    rows = sum(
        found.database.rows(f"SELECT COUNT(*) AS n FROM {{{table}}} AS old WHERE {condition}")[0][
            "n"
        ]
        for tables, condition in OLD_METADATA
        for table in tables
    )
    (inlined,) = found.database.rows(
        "SELECT COUNT(*) - COUNT(DISTINCT table_id) AS n FROM {inlined_data_tables}"
    )
    if rows + inlined["n"] < MUCH_OLD_METADATA:
        return
    yield Finding(
        "old metadata",
        "warning",
        f"{rows:,} rows are of tables that are gone, or ended before every snapshot; "
        f"{inlined['n']:,} inlined tables are of past schema versions",
        "CALL lake.system.cleanup_old_metadata(dry_run => true) says what can go, and with "
        "inlined_tables => true also how many inlined tables.",
    )


def files(found: Catalog, place: Place) -> Finding:
    """The folder of files: whether the settings agree with the lake about it."""
    try:
        folder = data_folder(found, place)
        if folder.doubt:
            return Finding("data path", "wrong", folder.doubt, folder.mend)
        return data(folder.path, place)
    except Failure as failure:
        return Finding("data path", "wrong", failure.why, failure.mend)


def data(path: str, place: Place) -> Finding:
    """Whether a folder of files can be written, where it is on this machine."""
    if scheme := folders.scheme(path):
        mend = f"Spark needs the file system of {scheme} on its class path, and its credentials."
        return Finding("data path", "ok", path, mend)
    return writable("data path", Path(folders.local(path)), place)


def writable(check: str, path: Path, place: Place) -> Finding:
    """Whether this user may write a file with the folder around it, or a folder, or make it."""
    if path.is_file():
        needed = [path, path.parent]
    else:
        needed = [next(each for each in (path, *path.absolute().parents) if each.exists())]
    refused = next((each for each in needed if not os.access(each, os.W_OK)), None)
    if refused is None:
        more = "" if path.exists() else " is made by the first write"
        return Finding(check, "ok", f"{path}{more}")
    if keys.is_read_only(place):
        return Finding(check, "ok", f"{path} is only read, as the settings say")
    absent = "" if path.exists() else f"{path} is not there, and "
    mend = f"Give this user the right to write {refused}, or set read-only = true."
    return Finding(check, "warning", f"{absent}{refused} is only read", mend)
