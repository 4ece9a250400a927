"""The catalog database read from Python, without Spark.

Everything else in Python stands on this package, which needs no other: the drivers of DuckDB and of
PostgreSQL are loaded where such a database is opened.
"""
