package ducklake.spark.moving

import ducklake.catalog.option.MoveOrigin
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.files.foreign.NamedId

/** A table of another format, whose versions its library reads. */
private[moving] trait MovableSource {

  /** The current version. */
  def now: SourceTable

  /** An earlier version from which the current one has come; Left: why it cannot be read. */
  def at(version: String): Either[String, SourceTable]
}

/** A table of another format at one of its versions, as the library of the format describes it.
  *
  * @param name for messages
  * @param columns with the field ids of the files as column ids
  * @param lastColumn the greatest field id that the table ever gave to a column
  * @param keys the current partition keys, in order
  * @param refused what a lake has not, and what the rows need: parts of a sentence
  * @param lost what a lake has not, and what the rows do not need
  * @param origin by which a later call knows the table and its version; None when there is nothing
  *   by which it could
  * @param names the field ids that names stand for in files without ids
  */
private[moving] final case class SourceTable(
    name: String,
    columns: Vector[Column],
    lastColumn: ColumnId,
    keys: Vector[SourceKey],
    files: Vector[SourceFile],
    refused: Vector[String],
    lost: Vector[String],
    origin: Option[MoveOrigin] = None,
    names: Map[String, NamedId] = Map.empty,
)

/** A partition key of another format.
  *
  * @param text how its format prints it
  * @param column None when it is no top-level column
  */
private[moving] final case class SourceKey(
    text: String,
    column: Option[ColumnId],
    transform: SourceTransform,
)

private[moving] sealed trait SourceTransform

private[moving] object SourceTransform {

  /** A transform with the same meaning in a lake of version 1.1. */
  final case class Same(transform: Transform) extends SourceTransform

  /** A transform that lakes do not have. */
  case object Other extends SourceTransform
}

/** A data file.
  *
  * @param path as its table names it
  * @param partition the text of the value of each of the table's keys (None inside: NULL); None for
  *   a file that was written under other keys
  */
private[moving] final case class SourceFile(
    path: String,
    sizeBytes: Long,
    recordCount: Long,
    partition: Option[Vector[Option[String]]],
    deletes: Vector[SourceDeletes],
) {

  /** The path in DuckDB's spelling. */
  def stored: String = path match {
    case s"file:$rest" => "/" + rest.dropWhile(_ == '/')
    case other => other
  }
}

/** Where deleted rows of a data file are. */
private[moving] sealed trait SourceDeletes {
  def path: String
  def sizeBytes: Long
}

private[moving] object SourceDeletes {

  /** A Parquet file with paths and positions, perhaps of several data files. */
  final case class Positions(path: String, sizeBytes: Long) extends SourceDeletes

  /** A deletion vector within a file.
    *
    * @param sizeBytes of the vector
    */
  final case class DeletionVector(path: String, offset: Long, sizeBytes: Long) extends SourceDeletes

  /** A Parquet file with values of deleted rows.
    *
    * @param columns the field ids of the values
    */
  final case class Equality(path: String, sizeBytes: Long, columns: Vector[Int])
      extends SourceDeletes
}
