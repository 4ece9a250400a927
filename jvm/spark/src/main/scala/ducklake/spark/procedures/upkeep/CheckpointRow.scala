package ducklake.spark.procedures.upkeep

import ducklake.catalog.change.plan.ExpiryPlan
import ducklake.catalog.model.LakeTable
import ducklake.spark.maintenance.RecomputedTable
import ducklake.spark.maintenance.compact.CompactedTable
import ducklake.spark.maintenance.flush.FlushedTable
import ducklake.spark.metadata.LocalResult
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** The result of a step of a checkpoint for a table, or for the lake. Numbers that a step does not
  * have are None.
  *
  * @param step the name of the procedure
  * @param table schema and name
  * @param filesProcessed files that were merged or rewritten
  * @param filesDeleted from storage
  * @param conflicts how often commits of others made the step plan again
  * @param note why there was nothing to do, or why the table was left out
  */
final case class CheckpointRow(
    step: String,
    table: Option[(String, String)] = None,
    rowsFlushed: Option[Long] = None,
    snapshotsExpired: Option[Long] = None,
    filesProcessed: Option[Long] = None,
    filesCreated: Option[Long] = None,
    bytesProcessed: Option[Long] = None,
    bytesCreated: Option[Long] = None,
    filesDeleted: Option[Long] = None,
    conflicts: Option[Long] = None,
    note: Option[String] = None,
) {

  private[upkeep] def cells: Vector[Any] = Vector(
    step,
    table.map(_._1),
    table.map(_._2),
    rowsFlushed,
    snapshotsExpired,
    filesProcessed,
    filesCreated,
    bytesProcessed,
    bytesCreated,
    filesDeleted,
    conflicts,
    note,
  )

  /** The result of the step, for the log. */
  private[upkeep] def sentence: String = {
    val numbers = CheckpointRow.schema.fieldNames.toVector.zip(cells).collect {
      case (column, Some(value: Long)) => s"$column $value"
    }
    val named = table.map { case (schema, name) => s"$schema.$name" }
    (named ++ numbers ++ note).mkString(", ")
  }
}

object CheckpointRow {

  val schema: StructType = new StructType()
    .add("step", StringType)
    .add("schema_name", StringType)
    .add("table_name", StringType)
    .add("rows_flushed", LongType)
    .add("snapshots_expired", LongType)
    .add("files_processed", LongType)
    .add("files_created", LongType)
    .add("bytes_processed", LongType)
    .add("bytes_created", LongType)
    .add("files_deleted", LongType)
    .add("conflicts", LongType)
    .add("note", StringType)

  def result(rows: Vector[CheckpointRow]): LocalResult =
    new LocalResult(schema, () => rows.map(_.cells))

  def nothing(step: String, why: String = "nothing to do"): CheckpointRow =
    CheckpointRow(step, note = Some(why))

  def leftOut(step: String, table: LakeTable, why: String): CheckpointRow =
    CheckpointRow(step, Some((table.schema.qualifiedName, table.name)), note = Some(why))

  def flushed(step: String, done: FlushedTable): CheckpointRow =
    CheckpointRow(
      step,
      Some((done.schema, done.table)),
      rowsFlushed = Some(done.rows),
      filesCreated = Some(done.files),
      bytesCreated = Some(done.bytes),
      conflicts = Some(done.conflicts.toLong),
    )

  /** None for a table without compacted files. */
  def compacted(step: String, done: CompactedTable): Option[CheckpointRow] =
    done.groups.lastOption.map { named =>
      CheckpointRow(
        step,
        Some((named.schema, named.table)),
        filesProcessed = Some(done.groups.map(_.processed).sum),
        filesCreated = Some(done.groups.map(_.created).sum),
        bytesProcessed = Some(done.groups.map(_.bytesProcessed).sum),
        bytesCreated = Some(done.groups.map(_.bytesCreated).sum),
        conflicts = Some(done.conflicts.toLong),
      )
    }

  /** None when no snapshot satisfies the criterion. */
  def expired(step: String, done: ExpiryPlan): Option[CheckpointRow] = {
    def listed(what: String, names: Vector[String]) =
      Option.when(names.nonEmpty)(s"$what: ${names.distinct.sorted.mkString(", ")}")
    val notes = Vector(
      listed("kept by name", done.kept.flatMap(_.names)),
      listed("kept for readers", done.kept.flatMap(_.readers.map(_.name))),
      listed("strands readers", done.stranded.map(_.name)),
    ).flatten
    Option.when(done.listed.nonEmpty || notes.nonEmpty) {
      CheckpointRow(
        step,
        snapshotsExpired = Some(done.listed.size.toLong),
        note = Option.when(notes.nonEmpty)(notes.mkString("; ")),
      )
    }
  }

  def recomputed(step: String, done: RecomputedTable): CheckpointRow =
    CheckpointRow(
      step,
      Some((done.schema, done.table)),
      note = Some(s"statistics changed in snapshot ${done.snapshot.value}"),
    )
}
