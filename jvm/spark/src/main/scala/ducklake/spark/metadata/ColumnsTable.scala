package ducklake.spark.metadata

import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.Column
import ducklake.catalog.types.TypeText
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** The columns of a table as rows, with their ids and DuckLake's types. A nested column follows the
  * column that it belongs to.
  */
object ColumnsTable {

  private val schema: StructType = new StructType()
    .add("column_id", LongType)
    .add("column_name", StringType)
    .add("column_type", StringType)
    .add("nulls_allowed", BooleanType)
    .add("parent_column", LongType)

  def of(table: LakeTable): LocalResult =
    new LocalResult(schema, () => table.columns.flatMap(rows(_, None)))

  private def rows(column: Column, parent: Option[Long]): Vector[Vector[Any]] = {
    val id = column.id.value
    val row = Vector[Any](
      id,
      column.name,
      TypeText.print(column.dataType),
      column.nullsAllowed,
      parent,
    )
    row +: column.children.flatMap(rows(_, Some(id)))
  }
}
