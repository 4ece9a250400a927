package ducklake.spark.extension

import ducklake.spark.config.NearestName
import ducklake.spark.session.LakeCatalog
import ducklake.spark.session.Namespaces
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedProcedure
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.ProcedureCatalog

/** Refuses CALL of a procedure that a lake does not have. The error lists the procedures of the
  * lake.
  */
final class UnknownProcedures(session: SparkSession) extends Rule[LogicalPlan] {

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case UnresolvedProcedure(name) => check(name.toVector)
      case _ => ()
    }
    plan
  }

  private def check(name: Vector[String]): Unit =
    for {
      known <- Some(session).collect { case s: classic.SparkSession => s }
      (catalog, _) <- tables.find(name)
      lake <- Some(known.sessionState.catalogManager.catalog(catalog)).collect {
        case lake: LakeCatalog with ProcedureCatalog => lake
      }
      procedures = lake.listProcedures(Array.empty).map(_.name()).toVector.sorted
      if !isKnown(if (name.head == catalog) name.tail else name, procedures)
    } refuse(name, procedures)

  private def isKnown(name: Vector[String], procedures: Vector[String]): Boolean = name match {
    case Vector(procedure) => procedures.exists(_.equalsIgnoreCase(procedure))
    case Vector(system, procedure) =>
      system.equalsIgnoreCase(Namespaces.System) && procedures.exists(_.equalsIgnoreCase(procedure))
    case _ => false
  }

  private def refuse(name: Vector[String], procedures: Vector[String]): Nothing = {
    val bareName = name.last.toLowerCase(java.util.Locale.ROOT).stripPrefix("ducklake_")
    HiddenColumns.refuse(
      s"The procedure `${name.mkString(".")}`",
      s"The nearest is `system.${NearestName.of(bareName, procedures)}`; there are " +
        s"${procedures.mkString(", ")}. All functions of DuckLake run in DuckDB, on the same lake.",
    )
  }
}
