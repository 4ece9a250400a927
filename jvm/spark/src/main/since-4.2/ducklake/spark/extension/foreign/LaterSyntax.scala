package ducklake.spark.extension.foreign

import ducklake.spark.extension.foreign.ForeignStatements.Foreign

/** Statements that only newer versions of Spark have for tables of a lake: none. */
private[foreign] object LaterSyntax {
  val parsed: Vector[Foreign] = Vector.empty
  val notParsed: Vector[Foreign] = Vector.empty
}
