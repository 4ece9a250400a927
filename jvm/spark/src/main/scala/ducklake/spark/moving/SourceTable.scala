package ducklake.spark.moving

import ducklake.catalog.option.MoveOrigin
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.files.foreign.NamedId

import scala.collection.immutable.ArraySeq

/** A table of another format, whose versions its library reads. */
private[moving] trait MovableSource {

  /** The current version. */
  def now: SourceTable

  /** An earlier version from which the current one has come; Left: why it cannot be read. */
  def at(version: String): Either[String, SourceTable]

  /** The rows of the current version. Errors: Unsupported without what its library needs for it. */
  def rows: SourceRows

  /** The versions of which the source still knows. */
  def history: SourceHistory

  /** The versions of a history, oldest first, each read when it is its turn: what was not read of the
    * version before. The last one is the current version.
    *
    * Errors: Unsupported for a version that cannot be read.
    */
  def steps(history: SourceHistory): Iterator[SourceStep]
}

private[moving] object MovableSource {

  /** A table that moves once: its later versions are not followed. */
  def once(table: SourceTable, found: SourceRows): MovableSource = new MovableSource {
    override def now: SourceTable = table
    override def rows: SourceRows = found
    override def at(version: String): Either[String, SourceTable] =
      Left("Parquet files without a log of their changes move once")
    override def history: SourceHistory = withoutLog
    override def steps(history: SourceHistory): Iterator[SourceStep] = withoutLog
    private def withoutLog: Nothing =
      throw new IllegalStateException("Parquet files without a log have no history")
  }
}

/** A table of another format at one of its versions, as the library of the format describes it.
  *
  * @param name for messages
  * @param columns of the new table
  * @param names how the files name the columns
  * @param lastColumn the greatest field id that the table ever gave to a column
  * @param keys the current partition keys, in order
  * @param refused what a lake has not, and what the rows need: parts of a sentence
  * @param lost what a lake has not, and what the rows do not need
  * @param origin by which a later call knows the table and its version; None when there is nothing
  *   by which it could
  */
private[moving] final case class SourceTable(
    name: String,
    columns: Vector[Column],
    names: NamesInFiles,
    lastColumn: ColumnId,
    keys: Vector[SourceKey],
    files: Vector[SourceFile],
    refused: Vector[String],
    lost: Vector[String],
    origin: Option[MoveOrigin] = None,
)

/** How the files of a table name its columns. */
private[moving] sealed trait NamesInFiles

private[moving] object NamesInFiles {

  /** The columns have the field ids of the files as column ids.
    *
    * @param mapped the ids that names stand for in files without ids
    */
  final case class FieldIds(mapped: Map[String, NamedId]) extends NamesInFiles

  /** The files get a name mapping. A partition column that a file lacks has the file's value.
    *
    * @param columns the columns of the table and their parts, with their names in files
    * @param ids these names by field id, when the format finds columns by their ids; else empty
    */
  final case class Stored(columns: Vector[Column], ids: Map[Int, String]) extends NamesInFiles
}

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
  * @param recordCount None when the table does not say it
  * @param partition the text of the value of each of the table's keys (None inside: NULL); None for
  *   a file that was written under other keys
  * @param stated the ids of columns whose one value, not NULL, the metadata gives, and the file
  *   perhaps not
  * @param isReturned whether an earlier version has it, and the one before does not: the lake needs a
  *   copy, because an expiry of the older snapshots deletes the file
  */
private[moving] final case class SourceFile(
    path: String,
    sizeBytes: Long,
    recordCount: Option[Long],
    partition: Option[Vector[Option[String]]],
    deletes: Vector[SourceDeletes],
    stated: Set[Int] = Set.empty,
    isReturned: Boolean = false,
) {

  /** The path in DuckDB's spelling. */
  val stored: String = SourceFile.stored(path)
}

private[moving] object SourceFile {

  /** A path in DuckDB's spelling, in which its search for orphans compares paths. */
  def stored(path: String): String = path match {
    case s"file:$rest" => local("/" + rest)
    case s"s3a://$rest" => s"s3://$rest"
    case s"s3n://$rest" => s"s3://$rest"
    case known if known.startsWith("/") => local(known)
    case other => other
  }

  private def local(path: String): String = path.replaceAll("/{2,}", "/")
}

/** Where deleted rows of a data file are. */
private[moving] sealed trait SourceDeletes {
  def sizeBytes: Long
}

private[moving] object SourceDeletes {

  /** The file of the deletes; None for those within the metadata. */
  def pathOf(deletes: SourceDeletes): Option[String] = deletes match {
    case Positions(path, _) => Some(path)
    case DeletionVector(path, _, _, _) => Some(path)
    case Equality(path, _, _) => Some(path)
    case InlineVector(_, _) => None
  }

  /** A Parquet file with paths and positions, perhaps of several data files. */
  final case class Positions(path: String, sizeBytes: Long) extends SourceDeletes

  /** A deletion vector within a file.
    *
    * @param sizeBytes of the vector
    * @param count of the deleted rows
    */
  final case class DeletionVector(path: String, offset: Long, sizeBytes: Long, count: Long)
      extends SourceDeletes

  /** A Parquet file with values of deleted rows.
    *
    * @param columns the field ids of the values
    */
  final case class Equality(path: String, sizeBytes: Long, columns: Vector[Int])
      extends SourceDeletes

  /** A deletion vector within the metadata: magic number and bitmaps.
    *
    * @param count of the deleted rows
    */
  final case class InlineVector(bytes: ArraySeq[Byte], count: Long) extends SourceDeletes {
    override def sizeBytes: Long = bytes.size.toLong
  }
}

/** What says of a table of another format that a lake exported it. */
private[moving] object ExportMark {

  /** In the summary of each snapshot of Iceberg: the snapshot of the lake. */
  val Summary = "ducklake.snapshot"

  /** A feature in the protocol of Delta that no writer knows: none of them may change the table, or
    * remove files that belong to the lake. Readers need not know features of writers.
    */
  val Feature = "ducklakeExport"

  /** Why such a table cannot move, whatever the caller asks for. */
  val refusal: String =
    "it is the export of a lake, and the files belong to that lake: read them there, or copy the " +
      "rows by CREATE TABLE AS SELECT"
}
