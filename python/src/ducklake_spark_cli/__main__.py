"""`python -m ducklake_spark_cli` is `ducklake-spark`."""

from __future__ import annotations

from ducklake_spark_cli import main

if __name__ == "__main__":
    main()
