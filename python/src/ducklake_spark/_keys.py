"""The keys of a catalog. Made from the connector's code: record it with `./sbt recordPages`."""

from __future__ import annotations

KEYS = (
    "uri",
    "data-path",
    "override-data-path",
    "create-if-not-exists",
    "metadata-schema",
    "encrypted",
    "data-inlining-row-limit",
    "isolation-level",
    "snapshot-version",
    "snapshot-time",
    "read-only",
    "automatic-migration",
    "ducklake-version",
    "busy-timeout",
    "user",
    "password",
    "password-file",
    "retry.max-count",
    "retry.wait-ms",
    "retry.backoff",
    "retry.statement-count",
    "pool.size",
    "pool.wait-ms",
    "web.max-bytes",
    "web.timeout-ms",
    "metadata-catalog",
    "metadata-parameters",
    "metadata-path",
    "write-deletion-vectors",
)

PREFIXES = ("jdbc.", "hadoop.", "meta-")
