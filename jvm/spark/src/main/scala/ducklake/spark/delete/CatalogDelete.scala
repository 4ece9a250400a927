package ducklake.spark.delete

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.Operation
import ducklake.catalog.model.LakeTable
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WriteCommitter
import ducklake.spark.session.WriteTarget
import ducklake.spark.session.WrittenFiles
import ducklake.spark.sparkapi.TableRows
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** TRUNCATE, and DELETE where the catalog knows the rows that go: whole files, and rows that it keeps
  * itself. It commits at once, also within a transaction: Spark ends none after TRUNCATE.
  *
  * @param base the snapshot that the statement sees
  */
private[spark] final class CatalogDelete(
    session: SessionLake,
    base: LakeSnapshot,
    table: LakeTable,
) {

  /** Whether no file has to be opened to delete the rows for which all filters are true. */
  def isPossible(predicates: Vector[Predicate]): Boolean =
    isEveryRow(predicates) || predicates.forall(TableRows.canEvaluate) &&
      CatalogMatches.of(base, table, predicates).exists(_.inlined.nonEmpty)

  /** A compaction since [[isPossible]] may make a search of files necessary after all.
    *
    * Errors: those of a commit.
    */
  def run(predicates: Vector[Predicate]): Unit = {
    val _ = session.immediate.writable()
    val target = WriteTarget.existing(session.immediate, base, table)
    val settlement = new WriteCommitter(target, Map.empty)
    removed(target, predicates).foreach { case (operation, files) =>
      try settlement.settle(Vector(operation), files)
      catch {
        case failure: Throwable =>
          settlement.abort(files)
          throw failure
      }
    }
  }

  /** None when no row goes: that makes no snapshot. */
  private def removed(
      target: WriteTarget,
      predicates: Vector[Predicate],
  ): Option[(Operation, WrittenFiles)] =
    if (isEveryRow(predicates))
      Some((Operation.Truncate(table), WrittenFiles(Vector.empty)))
    else {
      val limit = target.inliningRowLimit(target.config(CaseInsensitiveStringMap.empty()))
      new RowReplacer(target, table, Vector.empty, limit).matching(predicates)
    }

  private def isEveryRow(predicates: Vector[Predicate]): Boolean =
    OverwriteMode.of(predicates) == OverwriteMode.Everything
}
