package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.SnapshotId

/** The versions of the catalog format, and the features of each.
  *
  * Source: format 1.5, the matrix of columns; format 14.1 to 14.3.
  */
sealed abstract class FormatVersion(val text: String, private val rank: Int) {

  /** Paths of schemas and tables. */
  def hasPaths: Boolean = rank >= 2
  def hasScopes: Boolean = rank >= 2
  def hasMappings: Boolean = rank >= 2

  /** Partition keys name their column by field id; in earlier versions by its position. */
  def hasPartitionFieldIds: Boolean = rank >= 2

  /** Author, message and extra information of a commit. */
  def hasCommitInfo: Boolean = rank >= 3
  def hasMappedPartitions: Boolean = rank >= 3
  def hasSchemaVersions: Boolean = rank >= 3

  /** Schema versions of tables; in earlier versions of the whole lake. */
  def hasTableSchemaVersions: Boolean = rank >= 4
  def hasDefaultTypes: Boolean = rank >= 4
  def hasPartialMax: Boolean = rank >= 4
  def hasMacros: Boolean = rank >= 4
  def hasSortKeys: Boolean = rank >= 4

  /** Partition transforms that count from 1970, such as `epoch_day`. */
  def hasEpochTransforms: Boolean = rank >= 6

  /** The types `timestamptz_ns` and `null`. */
  def hasNewTypes: Boolean = rank >= 6

  /** Nested schemas. */
  def hasNestedSchemas: Boolean = has(Addition.NestedSchemas)

  /** Comments on the columns of views. */
  def hasViewColumnTags: Boolean = has(Addition.ViewColumnTags)

  /** Whether a bound in the statistics is a value that occurs. */
  def hasExactBounds: Boolean = has(Addition.ExactBounds)

  /** The first three columns of an inlined table begin with `_ducklake_`. */
  def hasInlinedPrefix: Boolean = has(Addition.InlinedPrefix)

  /** Whether a lake of this version may be changed. */
  def isWritable: Boolean = this == FormatVersion.V10 || this == FormatVersion.V11

  /** Whether a migration leads from this version to the other. */
  def isBefore(other: FormatVersion): Boolean = rank < other.rank

  /** Whether catalogs of this version have this addition of 1.1. */
  def has(addition: Addition): Boolean = rank >= addition.since

  /** The names of the first three columns of inlined tables. */
  def inlinedColumns: InlinedColumns =
    if (hasInlinedPrefix) InlinedColumns.Prefixed else InlinedColumns.Plain

  def fileStatisticsTable: String =
    if (rank >= 3) "ducklake_file_column_stats" else "ducklake_file_column_statistics"
}

object FormatVersion {
  case object V01 extends FormatVersion("0.1", 1)
  case object V02 extends FormatVersion("0.2", 2)
  case object V03Dev extends FormatVersion("0.3-dev1", 3)
  case object V03 extends FormatVersion("0.3", 3)
  case object V04Dev extends FormatVersion("0.4-dev1", 4)
  case object V04 extends FormatVersion("0.4", 4)
  case object V10 extends FormatVersion("1.0", 5)
  case object V11 extends FormatVersion("1.1", 6)

  /** A catalog of 1.1, or of a development version before it, whose columns are not exactly those
    * of 1.1. It is read with its existing columns, and it is not written.
    *
    * @param additions the additions of 1.1 that it has
    * @param unknown columns that 1.1 does not have, as `table.column`
    */
  final case class Partial11(
      override val text: String,
      additions: Set[Addition],
      unknown: Vector[String],
  ) extends FormatVersion(text, 6) {
    override def has(addition: Addition): Boolean = additions(addition)
  }

  /** The text of development versions before 1.1. Their catalogs have no fixed form. */
  val Dev11: String = "1.1-dev1"

  /** Versions whose columns follow from the text. */
  private val fixed: Vector[FormatVersion] = Vector(V01, V02, V03Dev, V03, V04Dev, V04, V10)

  /** The texts of the versions that can be read. */
  val texts: Vector[String] = fixed.map(_.text) ++ Vector(Dev11, V11.text)

  /** The versions that a lake may be created in or migrated to. */
  val targets: Vector[FormatVersion] = Vector(V10, V11)

  /** The version of a text, where its columns follow from it. */
  def of(text: String): Option[FormatVersion] = fixed.find(_.text == text)
}

/** An addition of version 1.1 to the catalog. */
sealed trait Addition {
  private[sql] def since: Int = 6
}

object Addition {
  case object NestedSchemas extends Addition
  case object ViewColumnTags extends Addition
  case object ExactBounds extends Addition
  case object RowGroupCount extends Addition
  case object InlinedPrefix extends Addition

  val all: Set[Addition] =
    Set(NestedSchemas, ViewColumnTags, ExactBounds, RowGroupCount, InlinedPrefix)
}

/** The names of the first three columns of every inlined table. */
final case class InlinedColumns(rowId: Sql, begin: Sql, end: Sql) {
  def all: Vector[Sql] = Vector(rowId, begin, end)

  /** The visibility test for rows of an inlined table. */
  def visibleAt(snapshot: SnapshotId): Sql =
    sql"($begin <= $snapshot AND ($end IS NULL OR $end > $snapshot))"
}

object InlinedColumns {
  val Plain: InlinedColumns = named("row_id", "begin_snapshot", "end_snapshot")

  val Prefixed: InlinedColumns =
    named("_ducklake_row_id", "_ducklake_begin_snapshot", "_ducklake_end_snapshot")

  /** The number of these columns. */
  val Count: Int = 3

  /** Unquoted on purpose: SQLite reads an unknown quoted name as a string, so a missing column
    * would go unnoticed.
    */
  private def named(rowId: String, begin: String, end: String): InlinedColumns =
    InlinedColumns(
      Sql(rowId, Vector.empty),
      Sql(begin, Vector.empty),
      Sql(end, Vector.empty),
    )
}
