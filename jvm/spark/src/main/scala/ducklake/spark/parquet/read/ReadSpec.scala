package ducklake.spark.parquet.read

import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.MappingId
import ducklake.catalog.model.NameMapping
import ducklake.catalog.predicate.Predicate
import org.apache.spark.sql.types.DataType

/** What all tasks of a scan share.
  *
  * @param columns the columns of each batch, in order
  * @param predicates all hold for the rows that are wanted; only used to skip row groups and pages,
  *   never to drop single rows
  * @param snapshot the snapshot read
  * @param order all columns of the table at that snapshot, for files that are matched by position
  */
final case class ReadSpec(
    columns: Vector[ReadColumn],
    predicates: Vector[Predicate],
    snapshot: Long,
    mappings: Map[MappingId, NameMapping],
    order: Vector[ColumnId] = Vector.empty,
)

/** One column of the output. */
sealed trait ReadColumn {
  def sparkType: DataType
}

object ReadColumn {

  /** A column of the table; `column` and `sparkType` are pruned alike, child by child in order. */
  final case class Data(column: Column, sparkType: DataType) extends ReadColumn

  /** BIGINT: embedded row id, else `rowIdStart` + position. */
  case object RowId extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }

  /** BIGINT: embedded snapshot id, else the file's begin (or its run, in catalogs up to 0.3). */
  case object SnapshotOfRow extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }

  /** STRING: the file as DuckDB shows it. */
  case object FileName extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.StringType
  }

  /** BIGINT: position in the file. */
  case object FileRowNumber extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }

  /** BIGINT: id of the data file. */
  case object FileId extends ReadColumn {

    /** What stands for the catalog, of rows that are kept there. */
    val NoFile: Long = -1L

    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }

  /** BIGINT: id of the first column among those read of which the row loses something in Spark's types;
    * 0: none.
    */
  case object Loss extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }

  /** BIGINT: position in the file; the row id of a row that is kept in the catalog. */
  case object PlaceInFile extends ReadColumn {
    def sparkType: DataType = org.apache.spark.sql.types.LongType
  }
}
