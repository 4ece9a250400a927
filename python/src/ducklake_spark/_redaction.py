"""Which settings Spark hides in its UI, in SET and in the event log."""

from __future__ import annotations

PATTERN_KEY = "spark.redaction.regex"

# What Spark hides when nothing is set. Source: Spark 4.2 and 4.3, SECRET_REDACTION_PATTERN.
_OF_SPARK = "secret|password|token|access[.]?key"

# Parts of the names of Hadoop's secrets in which none of these words stands: account keys, keys
# that data is encrypted with, and shared access signatures of Azure; customers' keys of S3A and of
# Google's connector; private keys of Google's service accounts. Spark's own settings
# `spark.io.encryption.keySizeBits` and the like are no secrets. There is no backslash:
# spark-defaults.conf is a file of Java's properties, in which `\b` is `b`.
_OF_STORES = "account[.]key|private[.]key|encryption[.]key(?![A-Za-z])|provided-key|azure[.]sas[.]"

PATTERN = f"(?i){_OF_SPARK}|{_OF_STORES}"
"""Spark's own pattern, with the names of the secrets of object stores that it does not know."""
