"""Which PySparks can import this package at all."""

from __future__ import annotations

import pyspark

from ducklake_spark_catalog import sparks


def refusal_of_pyspark() -> str:
    """Why this PySpark cannot import the package; empty when it can.

    A newer one can: as a client of Spark Connect it may work with a server of a served version.
    """
    if not sparks.is_too_old(pyspark.__version__):
        return ""
    return ". ".join(sparks.refusal(pyspark.__version__))
