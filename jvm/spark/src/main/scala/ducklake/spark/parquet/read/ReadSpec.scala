package ducklake.spark.parquet.read

import ducklake.catalog.model.NameMapping
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.MappingId
import ducklake.spark.sparkapi.sql.VariantExtraction
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.VariantType

/** The values that all tasks of a scan share.
  *
  * @param columns the columns of each batch, in order
  * @param predicates filters of the scan. Rows that do not match may be left out, where that saves
  *   work
  * @param runtime filters that are known only when the scan runs. Like `predicates`, but not worth
  *   a look at statistics and indexes
  * @param readsKeysFirst whether the columns that filters test may be read before the others
  * @param snapshot the snapshot that is read
  * @param order all columns of the table at that snapshot, for files that are matched by position
  * @param notNull columns that are reported to Spark as NOT NULL: Spark does not test them for
  *   NULL, and would show another value
  */
final case class ReadSpec(
    columns: Vector[ReadColumn],
    predicates: Vector[Predicate],
    snapshot: Long,
    mappings: Map[MappingId, NameMapping],
    order: Vector[ColumnId] = Vector.empty,
    notNull: Set[ColumnId] = Set.empty,
    runtime: Vector[Predicate] = Vector.empty,
    readsKeysFirst: Boolean = true,
) {

  /** A specification that reads no column of a file. */
  def withoutColumns: ReadSpec =
    copy(
      columns = Vector.empty,
      predicates = Vector.empty,
      notNull = Set.empty,
      runtime = Vector.empty,
    )
}

/** One column of the scan. */
sealed trait ReadColumn {
  def sparkType: DataType

  /** The type of the column's values in rows from the catalog database: the whole variant, where the
    * scan shows values that are taken from it.
    */
  final def inlinedType: DataType =
    if (VariantExtraction.ofType(sparkType).isEmpty) sparkType else VariantType
}

object ReadColumn {

  /** A column of the table. `column` and `sparkType` are pruned to the same fields in the same
    * order.
    */
  final case class Data(column: Column, sparkType: DataType) extends ReadColumn

  /** BIGINT: the embedded row id, otherwise `rowIdStart` plus the position. */
  case object RowId extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }

  /** BIGINT: the embedded snapshot id, otherwise the file's begin (in catalogs up to 0.3 the
    * snapshot of the run).
    */
  case object SnapshotOfRow extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }

  /** STRING: the file's path in the form that DuckDB shows. */
  case object FileName extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.StringType
  }

  /** BIGINT: the position in the file, for users; NULL for inlined rows. */
  case object FileRowNumber extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }

  /** BIGINT: the id of the data file. */
  case object FileId extends ReadColumn {

    /** The id for inlined rows, which are in the catalog and not in a file. */
    val NoFile: Long = -1L

    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }

  /** BIGINT: the id of the first column that is read and whose value loses data in Spark's types; 0
    * when no value does.
    */
  case object Loss extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }

  /** BIGINT: the position in the file; for an inlined row, its row id. */
  case object PositionInFile extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }
}
