"""Hadoop's stores of secrets."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

STORES = "hadoop.security.credential.provider.path"
"""The setting that names the stores."""


def keep_secret(spark: SparkSession, path: str, alias: str, secret: str) -> None:
    """Put a secret into a key store, as Hadoop's `CredentialShell` does."""
    jvm: Any = spark._jvm
    gateway: Any = spark.sparkContext._gateway
    hadoop = jvm.org.apache.hadoop.conf.Configuration(spark._jsc.hadoopConfiguration())
    hadoop.set(STORES, path)
    factory = jvm.org.apache.hadoop.security.alias.CredentialProviderFactory
    provider = factory.getProviders(hadoop).get(0)
    letters = gateway.new_array(jvm.char, len(secret))
    for place, letter in enumerate(secret):
        letters[place] = letter
    provider.createCredentialEntry(alias, letters)
    provider.flush()


def kept_secret(spark: SparkSession, path: str, alias: str) -> str:
    """The secret of a name in a key store."""
    jvm: Any = spark._jvm
    hadoop = jvm.org.apache.hadoop.conf.Configuration(spark._jsc.hadoopConfiguration())
    hadoop.set(STORES, path)
    return "".join(hadoop.getPassword(alias))
