"""Reads tables of Delta and Iceberg by their own libraries, in a Spark without ours.

A program: arguments are the jars, with commas between them, and for each table its format, its
folder, a version (`-` for the newest) and the folder that gets the rows as Parquet.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

EXTENSIONS = {
    "delta": "io.delta.sql.DeltaSparkSessionExtension",
    "iceberg": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
}
"""By the format of the tables that are read."""


def main(jars: str, *tables: str) -> None:
    """Reads all tables."""
    settings = {
        "spark.jars": jars,
        "spark.sql.extensions": ",".join(EXTENSIONS[form] for form in sorted(set(tables[::4]))),
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
    }
    builder = SparkSession.builder.master("local[1]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    for at in range(0, len(tables), 4):
        form, folder, version, target = tables[at : at + 4]
        reader = spark.read.format(form)
        if version != "-":
            reader = reader.option("versionAsOf", version)
        reader.load(folder).write.parquet(target)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
