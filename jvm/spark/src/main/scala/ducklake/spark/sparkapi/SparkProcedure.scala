package ducklake.spark.sparkapi

import org.apache.spark.sql.connector.catalog.procedures.SimpleProcedure

/** A procedure that has one list of parameters. */
abstract class SparkProcedure extends SimpleProcedure
