package ducklake.spark.changes

import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.Column as LakeColumn
import ducklake.catalog.types.Names
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.read.MetadataColumns
import ducklake.spark.read.ReadColumns
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.types.SparkTypes
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.MetadataColumn
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampType

/** A column of a change feed. */
sealed trait FeedColumn {
  def sparkType: DataType
}

object FeedColumn {

  /** The snapshot that changed the row. */
  case object Snapshot extends FeedColumn {
    def sparkType: DataType = LongType
  }

  case object RowId extends FeedColumn {
    def sparkType: DataType = LongType
  }

  /** `insert`, `delete`, `update_preimage` or `update_postimage`. */
  case object ChangeType extends FeedColumn {
    def sparkType: DataType = StringType
  }

  /** `insert` or `delete`; an update is both. */
  case object PlainChangeType extends FeedColumn {
    def sparkType: DataType = StringType
  }

  /** The time of the snapshot that changed the row. */
  case object CommitTime extends FeedColumn {
    def sparkType: DataType = TimestampType
  }

  /** A column of the table: the value that the change inserted or deleted. */
  final case class Data(column: ReadColumn.Data) extends FeedColumn {
    def sparkType: DataType = column.sparkType
  }
}

/** The columns of a feed: its own columns, and the table's columns.
  *
  * A column of the table with the name of an earlier column is shown with `_1` after its name, as
  * in DuckDB.
  */
final class FeedColumns(at: TableAtSnapshot, kind: FeedKind) {

  /** The table with the shown names of its columns. */
  val table: LakeTable = {
    val taken = (kind.own ++ kind.behind).map(_._1)
    val names = at.table.columns.foldLeft(taken)((seen, c) => seen :+ freeName(c.name, seen))
    val columns = at.table.columns.zip(names.drop(taken.length))
    at.table.copy(columns = columns.map { case (column, name) => column.copy(name = name) })
  }

  private val shown: TableAtSnapshot =
    new TableAtSnapshot(at.session, at.snapshot, table, at.isPast)

  /** All columns. Each may be NULL: past rows may be older than today's NOT NULL. */
  def asSpark: Array[Column] = {
    def own(columns: Vector[(String, FeedColumn)]) = columns.map { case (name, column) =>
      Column.create(name, column.sparkType, false)
    }
    (own(kind.own) ++ table.columns.map(ofTable) ++ own(kind.behind)).toArray
  }

  def schema: StructType =
    StructType(asSpark.map(c => StructField(c.name, c.dataType, c.nullable)))

  /** The columns that `*` leaves out. */
  def hidden: Array[MetadataColumn] =
    MetadataColumns.shown.filter(column => kind.hidden.exists(_._1 == column.name))

  /** The feed's own columns, by name. */
  val own: Map[String, FeedColumn] = {
    val free = kind.hidden.filterNot { case (name, _) =>
      table.columns.exists(column => Names.isSame(column.name, name))
    }
    (kind.own ++ kind.behind ++ free).toMap
  }

  /** The columns of the schema that Spark requests. */
  def of(schema: StructType): Vector[FeedColumn] =
    schema.fields.toVector.map { field =>
      own.getOrElse(
        field.name,
        ReadColumns.of(shown, StructType(Array(field))) match {
          case Vector(data: ReadColumn.Data) => FeedColumn.Data(data)
          case _ => throw new IllegalStateException(s"no column ${field.name} in a change feed")
        },
      )
    }

  private def ofTable(column: LakeColumn): Column = {
    val sparkType = SparkTypes.of(column, at.session.timeRule)
    column.comment.fold(Column.create(column.name, sparkType, true)) { comment =>
      Column.create(column.name, sparkType, true, comment, None.orNull)
    }
  }

  /** The name, with a number after it when an earlier column has the same name. */
  private def freeName(name: String, seen: Vector[String]): String =
    (Iterator.single(name) ++ Iterator.from(1).map(number => s"${name}_$number"))
      .find(next => !seen.exists(Names.isSame(_, next)))
      .getOrElse(name)
}
