package ducklake.spark.delete

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.model.LakeTable
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WriteCommitter
import ducklake.spark.session.WritePlan
import ducklake.spark.session.WriteTarget
import ducklake.spark.session.WrittenFiles
import ducklake.spark.sparkapi.catalog.TableQueries
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** TRUNCATE, and DELETE when the catalog alone knows the rows to delete: whole data files and
  * inlined rows. It commits at once, also within a transaction, because Spark does not end a
  * transaction after TRUNCATE.
  *
  * @param base the snapshot that the statement sees
  */
private[spark] final class MetadataOnlyDelete(
    session: SessionLake,
    base: LakeSnapshot,
    table: LakeTable,
) {

  /** Whether the rows for which all filters are true can be deleted without opening a file. */
  def isPossible(predicates: Vector[Predicate]): Boolean =
    isEveryRow(predicates) || predicates.forall(TableQueries.canEvaluate) &&
      CatalogMatches.of(base, table, predicates).exists(_.inlined.nonEmpty)

  /** Deletes the rows. After a compaction since [[isPossible]], files may have to be searched
    * nevertheless.
    *
    * Errors: the errors of a commit.
    */
  def run(predicates: Vector[Predicate]): Unit = {
    val _ = session.immediate.base()
    val target = WriteTarget.existing(session.immediate, base, table)
    val committer = new WriteCommitter(target, Map.empty)
    var files = WrittenFiles(Vector.empty)
    try
      deletion(target, predicates, more => files = WrittenFiles(files.paths ++ more.paths))
        .foreach(committer.commit)
    catch {
      case failure: Throwable =>
        committer.abort(files)
        throw failure
    }
  }

  /** The plan that deletes the rows. None when no row is to be deleted; then no snapshot is
    * created.
    */
  private def deletion(
      target: WriteTarget,
      predicates: Vector[Predicate],
      noted: WrittenFiles => Unit,
  ): Option[WritePlan] = {
    val none = WrittenFiles(Vector.empty)
    if (isEveryRow(predicates)) Some(WritePlan.fixed(Vector(Operation.Truncate(table)), none))
    else {
      val config = target.config(CaseInsensitiveStringMap.empty())
      val replacer =
        new ReplacedRowsReader(target, table, Vector.empty, target.inliningRowLimit(config))
      val removed = replacer.matching(predicates)
      val read = Option.when(target.isSerializable(config))(replacer.read(predicates))
      Option.unless(removed.isEmpty)(replacer.plan(removed, read, noted).write(_.toVector, none))
    }
  }

  private def isEveryRow(predicates: Vector[Predicate]): Boolean =
    OverwriteMode.of(predicates) == OverwriteMode.Everything
}
