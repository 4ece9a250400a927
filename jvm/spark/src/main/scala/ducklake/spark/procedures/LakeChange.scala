package ducklake.spark.procedures

import ducklake.spark.ddl.LayoutDdl
import ducklake.spark.definition.SortOrderText
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.StructType

/** A procedure that changes something and returns no data. Its result has one column and no row, as
  * in DuckDB.
  */
abstract class LakeChange(procedure: String, sentence: String)
    extends LakeProcedure(procedure, sentence) {

  def run(arguments: Arguments): Unit

  override def isPartOfTransactions: Boolean = true

  override def result(arguments: InternalRow): LocalResult = {
    run(new Arguments(procedure, arguments))
    LakeChange.success
  }
}

object LakeChange {

  private val success: LocalResult =
    new LocalResult(new StructType().add("Success", BooleanType), () => Vector.empty)

  /** The procedures for changes of tables that Spark's ALTER TABLE cannot express. Source:
    * jvm/docs/procedures.md.
    */
  def ofTables(session: SessionLake): Vector[LakeProcedure] = {
    val layout = new LayoutDdl(session)
    Vector(
      new LakeChange("set_partitioned_by", "New files of a table are partitioned by these keys") {
        override def parameters(): Array[ProcedureParameter] = Array(
          Arguments.required("table_name"),
          Arguments.list("transforms"),
          Arguments.optional("schema"),
        )
        override def run(arguments: Arguments): Unit =
          layout.partition(arguments.table(0, 2), arguments.texts(1, "transforms"))
      },
      new LakeChange("set_sorted_by", "New files of a table are sorted by these columns") {
        override def parameters(): Array[ProcedureParameter] = Array(
          Arguments.required("table_name"),
          Arguments.list("expressions"),
          Arguments.optional("schema"),
        )
        override def run(arguments: Arguments): Unit =
          layout.sort(
            arguments.table(0, 2),
            arguments.texts(1, "expressions").map(SortOrderText.parseKey),
          )
      },
      new LakeChange("reset_partitioned_by", "New files of a table are not partitioned") {
        override def parameters(): Array[ProcedureParameter] =
          Array(Arguments.required("table_name"), Arguments.optional("schema"))
        override def run(arguments: Arguments): Unit =
          layout.partition(arguments.table(0, 1), Vector.empty)
      },
      new LakeChange("reset_sorted_by", "New files of a table are not sorted") {
        override def parameters(): Array[ProcedureParameter] =
          Array(Arguments.required("table_name"), Arguments.optional("schema"))
        override def run(arguments: Arguments): Unit =
          layout.sort(arguments.table(0, 1), Vector.empty)
      },
      new LakeChange("set_not_null", "A column that has no NULL takes none from now on") {
        override def parameters(): Array[ProcedureParameter] = Array(
          Arguments.required("table_name"),
          Arguments.required("column"),
          Arguments.optional("schema"),
        )
        override def run(arguments: Arguments): Unit =
          layout.setNotNull(arguments.table(0, 2), arguments.required(1, "column"))
      },
    )
  }
}
