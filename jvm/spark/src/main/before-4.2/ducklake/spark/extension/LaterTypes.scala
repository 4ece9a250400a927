package ducklake.spark.extension

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical.ColumnDefinition
import org.apache.spark.sql.catalyst.plans.logical.CreateTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.ReplaceTable
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructType

/** Refuses new tables of a lake with columns of GEOMETRY, which Spark 4.1 parses and then hides.
  * Spark has the type from 4.2 on.
  */
final class LaterTypes(session: SparkSession) extends Rule[LogicalPlan] {

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case create: CreateTable => check(create.name, create.columns)
      case replace: ReplaceTable => check(replace.name, replace.columns)
      case _ => ()
    }
    plan
  }

  private def check(table: LogicalPlan, columns: Seq[ColumnDefinition]): Unit = table match {
    case identifier: UnresolvedIdentifier if columns.exists(each => isHidden(each.dataType)) =>
      val name = identifier.nameParts.toVector
      if (tables.isInLake(name))
        Refusals.refuse(s"The type GEOMETRY in `${name.mkString(".")}`", LaterTypes.Geometry)
    case _ => ()
  }

  private def isHidden(kind: DataType): Boolean = kind match {
    case struct: StructType => struct.fields.exists(field => isHidden(field.dataType))
    case list: ArrayType => isHidden(list.elementType)
    case map: MapType => isHidden(map.keyType) || isHidden(map.valueType)
    case other => other.typeName.startsWith("geometry")
  }
}

private[extension] object LaterTypes {
  val Geometry: String =
    "Spark 4.2 and newer have it. DuckDB can define the column, whose geometries are read as WKB."
}
