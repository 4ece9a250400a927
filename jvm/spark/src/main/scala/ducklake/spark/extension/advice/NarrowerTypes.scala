package ducklake.spark.extension.advice

import ducklake.spark.errors.WordedException
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.analysis.ResolvedFieldName
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.plans.logical.AlterColumnSpec
import org.apache.spark.sql.catalyst.plans.logical.AlterColumns
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.CharType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.VarcharType

/** Says what to do instead of a change of a column's type that Spark refuses: types become wider
  * only. Spark's own error has only the two types.
  */
object NarrowerTypes extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case AlterColumns(ResolvedTable(_, _, table: DuckLakeTable, _), specs) =>
        specs.foreach(check(table.name(), _))
      case _ => ()
    }
    plan
  }

  private def check(table: String, spec: AlterColumnSpec): Unit =
    (spec.column, spec.newDataType) match {
      case (ResolvedFieldName(path, field), Some(wanted)) if isNarrower(declared(field), wanted) =>
        val column = (path :+ field.name).mkString(".")
        val from = declared(field).sql
        val types = Map("originType" -> from, "newType" -> wanted.sql)
        throw new WordedException(
          "NOT_SUPPORTED_CHANGE_COLUMN",
          s"Cannot change column `$column` of $table from \"$from\" to " +
            s"\"${wanted.sql}\": types of columns only become wider, because files keep their values. " +
            "Nothing was changed. Add a column of the other type, fill it by UPDATE, drop the old " +
            "column and rename the new one.",
          "0A000",
          types ++ Map("table" -> table, "originName" -> column, "newName" -> column),
        )
      case _ => ()
    }

  /** The type of a column with the length of its texts, which Spark stores separately from the
    * type.
    */
  private def declared(field: StructField): DataType =
    CharVarcharUtils.getRawType(field.metadata).getOrElse(field.dataType)

  /** Spark's own error about structs, lists and maps says which parts to change one by one. */
  private def isNarrower(from: DataType, to: DataType): Boolean =
    !isNested(from) && !isNested(to) && ((from, to) match {
      case (char: CharType, wanted: CharType) => wanted.length != char.length
      case (char: CharType, wanted: VarcharType) => wanted.length < char.length
      case (text: VarcharType, wanted: VarcharType) => wanted.length < text.length
      case (_: CharType | _: VarcharType, StringType) => false
      case _ => !Cast.canUpCast(from, to)
    })

  private def isNested(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType => true
    case _ => false
  }
}
