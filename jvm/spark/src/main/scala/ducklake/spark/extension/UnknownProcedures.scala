package ducklake.spark.extension

import ducklake.spark.config.NearestName
import ducklake.spark.session.LakeCatalog
import ducklake.spark.session.Namespaces
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedProcedure
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic

/** Refuses CALL of a procedure that a lake does not have. The error lists the procedures of the
  * lake.
  */
final class UnknownProcedures(session: SparkSession) extends Rule[LogicalPlan] {

  import UnknownProcedures.habits

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
        case lake: LakeCatalog => lake
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
    val meant = habits
      .get(bareName)
      .map(way => s"Here $way. ")
      .orElse(NearestName.likely(bareName, procedures).map(n => s"Did you mean `system.$n`? "))
      .getOrElse("")
    Refusals.refuse(
      s"The procedure `${name.mkString(".")}`",
      s"${meant}The procedures are ${procedures.mkString(", ")}.",
    )
  }
}

private object UnknownProcedures {

  private val takesFilesOver = "files are taken over by `system.add_data_files`"
  private val goesBack = "a table goes back by `system.rollback_to_snapshot`"
  private val hasNoBranches = "there are no branches: name a snapshot by VERSION AS OF"

  private val putsTogether = "small files are put together by `system.merge_adjacent_files`"
  private val cleansUp =
    "old files go by `system.expire_snapshots`, then by `system.cleanup_old_files`"
  private val showsHistory = "all snapshots are in the table `system.snapshots`"

  /** Procedures of other formats and words that users try, with what to use instead. */
  val habits: Map[String, String] = Map(
    "add_files" -> takesFilesOver,
    "ancestors_of" -> showsHistory,
    "history" -> showsHistory,
    "compact" -> putsTogether,
    "optimize" -> putsTogether,
    "rewrite" -> "files with many deleted rows are written again by `system.rewrite_data_files`",
    "vacuum" -> cleansUp,
    "purge" -> cleansUp,
    "undo" -> "a commit is undone by `system.undo_commit`",
    "rollback" -> goesBack,
    "restore" -> goesBack,
    "cherrypick_snapshot" -> hasNoBranches,
    "compute_table_stats" -> "each write keeps statistics: there is nothing to compute",
    "create_changelog_view" -> "changes are given by `system.table_changes`",
    "fast_forward" -> hasNoBranches,
    "migrate" -> s"a table is made by CREATE TABLE, and $takesFilesOver",
    "register_table" -> s"a table is made by CREATE TABLE, and $takesFilesOver",
    "rewrite_manifests" -> "there are no manifests: the catalog database lists the files",
    "rewrite_position_delete_files" -> "deletes go by `system.rewrite_data_files`",
    "rollback_to_timestamp" -> s"$goesBack with snapshot_time",
    "set_current_snapshot" -> goesBack,
    "snapshot" -> s"a table is made by CREATE TABLE, and $takesFilesOver",
  )
}
