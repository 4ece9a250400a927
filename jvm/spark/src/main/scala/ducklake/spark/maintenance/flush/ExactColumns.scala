package ducklake.spark.maintenance.flush

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText

/** Columns in a form in which a Parquet file keeps their values without loss. Times with an offset
  * become texts, because Parquet's own times are in UTC. DuckDB reads both.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_flush.
  *
  * @param asText indexes of the columns that become texts
  */
private[flush] final case class ExactColumns(columns: Vector[Column], asText: Set[Int]) {

  def values(row: Vector[Literal]): Vector[Literal] =
    if (asText.isEmpty) row
    else
      row.zipWithIndex.map { case (value, index) =>
        if (asText(index)) ExactColumns.text(value) else value
      }
}

private[flush] object ExactColumns {

  def of(columns: Vector[Column], rows: Vector[Vector[Literal]]): ExactColumns = {
    val withOffsets = columns.indices.filter { index =>
      columns(index).dataType == LakeType.TimeTz && rows.exists(row => hasOffset(row(index)))
    }.toSet
    val exact = columns.zipWithIndex.map { case (column, index) =>
      if (withOffsets(index)) column.copy(dataType = LakeType.Varchar) else column
    }
    ExactColumns(exact, withOffsets)
  }

  private def hasOffset(value: Literal): Boolean =
    value match {
      case Literal.TimeTz(_, offset) => offset != 0
      case _ => false
    }

  private def text(value: Literal): Literal =
    ValueText.print(value, LakeType.TimeTz).fold[Literal](Literal.Null)(Literal.Text(_))
}
