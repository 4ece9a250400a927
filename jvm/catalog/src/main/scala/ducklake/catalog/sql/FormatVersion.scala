package ducklake.catalog.sql

/** The versions of the catalog format, and the features of each.
  *
  * Source: format 1.5, the column-level matrix; format 1.1, section 2.
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

  /** Schemas inside of schemas. */
  def hasNestedSchemas: Boolean = rank >= 6

  /** Comments on the columns of views. */
  def hasViewColumnTags: Boolean = rank >= 6

  /** Whether a bound in the statistics is a value that occurs. */
  def hasExactBounds: Boolean = rank >= 6

  /** The number of row groups of each Parquet file. */
  def hasRowGroupCount: Boolean = rank >= 6

  /** The first three columns of an inlined table begin with `_ducklake_`. */
  def hasInlinedPrefix: Boolean = rank >= 6

  /** Partition transforms that count from 1970, such as `epoch_day`. */
  def hasEpochTransforms: Boolean = rank >= 6

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

  case object V11Dev extends FormatVersion("1.1-dev1", 6)
  case object V11 extends FormatVersion("1.1", 6)

  /** The versions that can be read. */
  val all: Vector[FormatVersion] = Vector(V01, V02, V03Dev, V03, V04Dev, V04, V10)

  def of(text: String): Option[FormatVersion] = all.find(_.text == text)
}
