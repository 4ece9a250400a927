"""Measures the scan against bare Parquet files and other table formats."""
