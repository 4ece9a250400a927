"""The version that dbt shows."""

from __future__ import annotations

from importlib import metadata

version = metadata.version("dbt-ducklake-spark")
