package ducklake.files.copy

import ducklake.catalog.model.RowVisibility
import ducklake.files.parquet.ReservedFields
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.ColumnReader
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import scala.jdk.CollectionConverters.ListHasAsScala

/** A number for each row of a source: its row id, or its first snapshot. */
private[copy] sealed trait RowNumbers {

  /** The column that holds the numbers; None when they are not stored. */
  def column: Option[ColumnDescriptor]
}

private[copy] object RowNumbers {

  final case class Embedded(stored: ColumnDescriptor) extends RowNumbers {
    def column: Option[ColumnDescriptor] = Some(stored)
  }

  /** Consecutive numbers from the number of the file's first row on. */
  final case class Counted(start: Long) extends RowNumbers {
    def column: Option[ColumnDescriptor] = None
  }

  /** The same number for each run of rows.
    *
    * @param runs each with its number and the position after its last row
    */
  final case class Runs(runs: Vector[(Long, Long)]) extends RowNumbers {
    def column: Option[ColumnDescriptor] = None
  }

  def rowIds(source: SourceReader, schema: MessageType): RowNumbers =
    embedded(source, schema, ReservedFields.rowId).getOrElse {
      Counted(
        source.file.rowIdStart.getOrElse(
          source.damaged("it neither embeds row ids nor has a first")
        )
      )
    }

  def snapshots(source: SourceReader, schema: MessageType): RowNumbers =
    embedded(source, schema, ReservedFields.snapshotId).getOrElse {
      source.file.visibility match {
        case RowVisibility.Runs(_, _, runs) if runs.nonEmpty =>
          Runs(runs.map { case (snapshot, end) => (snapshot.value, end) })
        case _ => Runs(Vector((source.file.begin, Long.MaxValue)))
      }
    }

  private def embedded(source: SourceReader, schema: MessageType, id: Int): Option[RowNumbers] =
    schema.getFields.asScala.find(field => Option(field.getId).exists(_.intValue == id)).map {
      field =>
        if (
          !field.isPrimitive || field.asPrimitiveType.getPrimitiveTypeName != PrimitiveTypeName.INT64
        )
          source.damaged(s"its column ${field.getName} is no BIGINT")
        Embedded(schema.getColumnDescription(Array(field.getName)))
    }

  /** Reads the numbers of the next rows.
    *
    * @param reader of the column that holds the numbers, if they are stored
    * @param first the position of the first of these rows in the file
    * @param into receives the numbers; at least `rows` long
    */
  def read(
      numbers: RowNumbers,
      reader: Option[ColumnReader],
      first: Long,
      rows: Int,
      into: Array[Long],
  ): Unit = {
    // Plain loops: they run for every row.
    var row = 0
    (numbers, reader) match {
      case (Counted(start), _) =>
        while (row < rows) {
          into(row) = start + first + row
          row += 1
        }
      case (Runs(runs), _) =>
        var run = runs.indexWhere(_._2 > first)
        while (row < rows) {
          while (runs(run)._2 <= first + row) run += 1
          into(row) = runs(run)._1
          row += 1
        }
      case (Embedded(stored), Some(column)) =>
        while (row < rows) {
          if (column.getCurrentDefinitionLevel < stored.getMaxDefinitionLevel)
            throw new IllegalStateException(s"a row has no ${stored.getPath.mkString(".")}")
          into(row) = column.getLong
          column.consume()
          row += 1
        }
      case (Embedded(stored), None) =>
        throw new IllegalStateException(s"nobody reads ${stored.getPath.mkString(".")}")
    }
  }
}
