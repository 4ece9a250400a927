package ducklake.spark.procedures

import ducklake.spark.changes.FeedKind
import ducklake.spark.procedures.moving.ExportDelta
import ducklake.spark.procedures.moving.ExportIceberg
import ducklake.spark.procedures.moving.MigrateFromDelta
import ducklake.spark.procedures.moving.MigrateFromIceberg
import ducklake.spark.procedures.moving.MigrateFromParquet
import ducklake.spark.procedures.upkeep.Checkpoint
import ducklake.spark.procedures.upkeep.CleanupOldMetadata
import ducklake.spark.procedures.upkeep.ForgetReader
import ducklake.spark.procedures.upkeep.KeepSnapshot
import ducklake.spark.procedures.upkeep.RecomputeStatistics
import ducklake.spark.procedures.upkeep.RepairPartitionValues
import ducklake.spark.procedures.upkeep.RegisterReader
import ducklake.spark.procedures.upkeep.ReleaseSnapshot
import ducklake.spark.procedures.upkeep.VacuumCatalog
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.catalog.NullRefusal
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.types.StringType

/** The procedures of a lake, in its schema `system`. They are also found without the schema. */
final class Procedures(session: SessionLake) {

  /** The procedures other than change feeds. */
  val plain: Vector[LakeProcedure] =
    LakeProcedure.ofWholeLake(session) ++ LakeChange.ofTables(session) ++ Vector(
      new ListFilesProcedure(session),
      new SetOption(session),
      new AddDataFiles(session, StringType),
      new MigrateFromDelta(session),
      new MigrateFromIceberg(session),
      new MigrateFromParquet(session),
      new ExportDelta(session),
      new ExportIceberg(session),
      new FlushInlinedData(session),
      new MergeAdjacentFiles(session),
      new RewriteDataFiles(session),
      new ExpireSnapshots(session),
      new CleanupOldFilesProcedure(session),
      new DeleteOrphanedFiles(session, "delete_orphaned_files"),
      new DeleteOrphanedFiles(session, "remove_orphan_files"),
      new RecomputeStatistics(session),
      new RepairPartitionValues(session),
      new CleanupOldMetadata(session),
      new VacuumCatalog(session),
      new Checkpoint(session),
      new RollbackToSnapshot(session),
      new UndoCommit(session),
      new KeepSnapshot(session),
      new ReleaseSnapshot(session),
      new RegisterReader(session),
      new ForgetReader(session),
      new SetCommitMessage(session),
    ) ++ TransactionProcedure.all(session)

  private val feeds: Vector[UnboundProcedure] =
    FeedKind.all.map(new ChangeFeedProcedure(session, _))

  /** Errors: Unsupported for a procedure that cannot be called within the open transaction. */
  def load(ident: Identifier): UnboundProcedure = {
    plain
      .find(procedure => isNamed(ident, procedure.name()) && !procedure.isPartOfTransactions)
      .foreach(procedure => session.refuseInTransaction(s"Calling `${procedure.name()}`"))
    val (withNulls, others) = plain.partition(_.takesNulls)
    (withNulls.map(_.unbound) ++ (others.map(_.unbound) ++ feeds).map(new NullRefusal(_)))
      .find(procedure => isNamed(ident, procedure.name()))
      .getOrElse(throw new NoSuchFunctionException(ident))
  }

  private def isNamed(ident: Identifier, name: String): Boolean = {
    val isOurs = ident.namespace() match {
      case Array() => true
      case Array(system) => system.equalsIgnoreCase(Namespaces.System)
      case _ => false
    }
    isOurs && name.equalsIgnoreCase(ident.name())
  }

  def list(namespace: Array[String]): Array[Identifier] =
    namespace match {
      case Array() => named
      case Array(system) if system.equalsIgnoreCase(Namespaces.System) => named
      case _ => Array.empty
    }

  private def named: Array[Identifier] =
    (plain.map(_.name()) ++ feeds.map(_.name()))
      .map(Identifier.of(Array(Namespaces.System), _))
      .toArray
}
