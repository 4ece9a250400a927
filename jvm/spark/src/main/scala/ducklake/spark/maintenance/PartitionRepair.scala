package ducklake.spark.maintenance

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.LakeTable
import ducklake.catalog.predicate.KeyRepair
import ducklake.catalog.types.SnapshotId
import ducklake.spark.errors.PartFailure
import ducklake.spark.partitioning.SparkTransforms
import ducklake.spark.session.MaintenanceCall

import scala.annotation.tailrec

/** A partition key with wrong values.
  *
  * @param key as DESCRIBE prints it
  * @param repaired the number of files that have, or would have, true values now
  * @param unproven the number of files whose values stay wrong
  * @param snapshot of the commit; None when there was none
  */
final case class RepairedKey(
    schema: String,
    table: String,
    key: String,
    repaired: Long,
    unproven: Long,
    snapshot: Option[SnapshotId],
)

/** Gives files the partition values that their statistics prove (decision 22). */
final class PartitionRepair(call: MaintenanceCall) {
  import PartitionRepair.*

  /** What would be repaired, in the order of the tables and their keys. */
  def planned(base: LakeSnapshot, tables: MaintainedTables): Vector[RepairedKey] =
    sorted(tables).flatMap(table => described(table, repairs(base, table), snapshot = None))

  /** Repairs the tables, each in a commit of its own.
    *
    * Errors: CommitConflict when others changed the columns of a table again and again, or dropped
    * a table that the caller named; errors of a commit; MaintenanceIncomplete instead of any of them
    * when earlier tables were repaired.
    */
  def run(tables: MaintainedTables): Vector[RepairedKey] =
    sorted(tables).foldLeft(Vector.empty[RepairedKey]) { (done, table) =>
      try done ++ rounds(tables, table, Rounds)
      catch { case PartFailure(cause) if done.nonEmpty => throw incomplete(done, table, cause) }
    }

  private def sorted(tables: MaintainedTables): Vector[LakeTable] =
    tables.listed.sortBy(table => (table.schema.qualifiedName, table.name))

  private def incomplete(done: Vector[RepairedKey], table: LakeTable, cause: Throwable) = {
    val names = done.map(one => s"${one.schema}.${one.table}").distinct.mkString(", ")
    val why = s"of ${table.qualifiedName}: ${cause.getMessage}"
    new LakeException(LakeError.MaintenanceIncomplete(Name, names, why), Some(cause))
  }

  private def repairs(base: LakeSnapshot, table: LakeTable): Vector[KeyRepair] = {
    val keys = table.partition.toVector.flatMap(_.keys)
    if (keys.isEmpty) Vector.empty
    else {
      val request = FileRequest(Vector.empty, keys.map(_.column).toSet, inlined = None)
      val listing = base.files(table, request)
      KeyRepair.of(table, listing.files, listing.statistics)
    }
  }

  @tailrec
  private def rounds(
      tables: MaintainedTables,
      table: LakeTable,
      left: Int,
  ): Vector[RepairedKey] = {
    val base = call.lake.prepareToWrite()
    tables.current(base, table, "repair the partition values of") match {
      case None => Vector.empty
      case Some(now) =>
        val found = repairs(base, now)
        if (found.forall(_.values.isEmpty)) described(now, found, snapshot = None)
        else
          call.commit(base, Vector(Operation.RepairKeys(now, found))) match {
            case Conflict(conflict) if left <= 1 => throw conflict
            case Conflict(_) => rounds(tables, table, left - 1)
            case CommitOutcome.Committed(snapshot) => described(now, found, Some(snapshot.id))
            case outcome =>
              outcome.orThrow: Unit
              Vector.empty
          }
    }
  }

  private def described(
      table: LakeTable,
      found: Vector[KeyRepair],
      snapshot: Option[SnapshotId],
  ): Vector[RepairedKey] =
    found.map { repair =>
      RepairedKey(
        table.schema.qualifiedName,
        table.name,
        SparkTransforms.describe(table, repair.key),
        repair.fileCount,
        repair.unproven,
        snapshot.filter(_ => repair.values.nonEmpty),
      )
    }
}

object PartitionRepair {
  val Name = "repair_partition_values"
  private val Rounds = 4
}
