package ducklake.spark.write

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.MinTemporal
import ducklake.catalog.types.TypeText
import ducklake.spark.errors.SparkErrors

/** Refuses the one date and the one timestamp that Spark has and DuckDB does not have: the values
  * below minus infinity. They are found in the minimum of a file, so that rows need not be checked.
  */
private[write] object CalendarCheck {

  def refuse(spec: WriteSpec, statistics: Map[ColumnId, ColumnStatistics]): Unit =
    statistics.foreach { case (id, ofColumn) =>
      ofColumn.min
        .collect { case MinTemporal(value) => value }
        .foreach { value =>
          find(spec.columns, id).foreach { column =>
            SparkErrors.failTask(
              LakeError.InvalidValue(
                column.name,
                value.toString,
                TypeText.print(column.dataType),
                "it lies below minus infinity",
              )
            )
          }
        }
    }

  private def find(columns: Vector[Column], id: ColumnId): Option[Column] =
    columns.find(_.id == id).orElse(columns.flatMap(c => find(c.children, id)).headOption)
}
