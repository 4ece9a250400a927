"""Makes an archive of the classes that Spark loads at its start, for the Sparks of the tests.

    python -m support.sharedclasses spark.jsa

A start that takes 17 seconds without it takes 12 with it. The archive is of one Java and one class
path, that of PySpark in this environment; other JVMs do without it (`support/session.py`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

SETTINGS = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Else it names, on standard output, thousands of classes that it leaves out.
    "spark.driver.extraJavaOptions": "-XX:+RecordDynamicDumpInfo -Xlog:disable",
}
QUERIES = (
    "SELECT id % 3 AS part, count(*), sum(id) FROM range(1000) GROUP BY id % 3 ORDER BY part",
    "SELECT concat('x', b.id) FROM range(9) AS a JOIN range(5, 14) AS b ON a.id = b.id",
)
"""What loads the classes of planning, of compiled queries and of tasks."""


def dumper() -> str | None:
    """The program `jcmd` beside the Java that Spark takes; a Java without compiler has none."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("jcmd", path=f"{home}/bin" if home else None)


def record(file: Path, program: str) -> str:
    """Starts a Spark, asks it a little and has it write its classes.

    Args:
        file: the archive to make.
        program: `jcmd`.

    Returns:
        Why there is no archive; empty when there is one.
    """
    builder = SparkSession.builder
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    for query in QUERIES:
        spark.sql(query).collect()
    java: Any = spark._jvm
    process = java.java.lang.ProcessHandle.current().pid()
    command = [program, str(process), "VM.cds", "dynamic_dump", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    spark.stop()
    return "" if file.exists() else " ".join((done.stdout + done.stderr).split())


def main() -> None:
    """Makes the archive, or says in one line why not; tests need none."""
    program = dumper()
    missing = "no jcmd" if program is None else record(Path(sys.argv[1]).resolve(), program)
    if missing:
        print(f"each Spark of the tests loads its own classes: {missing[:300]}")


if __name__ == "__main__":
    main()
