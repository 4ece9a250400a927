package ducklake.spark.moving.history

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.LaterCommit
import ducklake.catalog.change.operation.MadeIds
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionSpec
import ducklake.spark.maintenance.add.FileOutcomes
import ducklake.spark.moving.MoveTable
import ducklake.spark.moving.MovedFiles
import ducklake.spark.moving.Removal
import ducklake.spark.session.SessionLake
import org.apache.hadoop.conf.Configuration

/** Makes a table whose snapshots are the versions of a source, in one transaction of the catalog. All
  * files are read and written before it begins.
  *
  * @param create makes the table as the oldest version has it
  */
private[moving] final class MoveHistory(
    lake: SessionLake,
    create: Operation.CreateTable,
    conf: Configuration,
) {

  private val made = MoveTable.made(create)

  /** Errors: as for a move; Unsupported when deleted rows came back, and when the lake has snapshots
    * that are not older. Nothing was changed then.
    */
  def move(base: LakeSnapshot, plan: HistoryPlan): FileOutcomes = {
    val written = new VersionFiles(lake, made, conf).write(MoveHistory.planned(made, plan))
    val versions =
      plan.steps.zip(written.versions).map { case (step, files) => Written(step, files) }
    val outcome = commit(base, plan, versions.head +: versions.tail.filter(_.changesAnything))
    outcome.ifNoSnapshot(written.discarding.run())
    outcome.orThrow: Unit
    written.outcomes
  }

  private def commit(
      base: LakeSnapshot,
      plan: HistoryPlan,
      versions: Vector[Written],
  ): CommitOutcome = {
    val dataPath = lake.lake.dataPath()
    val first = versions.head
    val register =
      first.files.registered(shaped(made, first.step), dataPath, base.snapshot.nextFileId)
    val later = versions.zip(versions.tail).map { case (before, version) =>
      LaterCommit(
        version.step.version.time,
        version.step.version.info,
        ids =>
          operations(before.step, version, ids, dataPath) ++
            record(plan, TableTarget.of(numbered(ids))).filter(_ => version == versions.last),
      )
    }
    val alone = record(plan, TableTarget.of(made)).filter(_ => later.isEmpty)
    val version = first.step.version
    lake.commitHistory(base, Vector(create, register) ++ alone, version.time, version.info, later)
  }

  private def record(plan: HistoryPlan, table: TableTarget): Option[Operation] =
    plan.now.source.origin.map(Operation.RecordMove(table, _))

  private def operations(
      before: HistoryStep,
      version: Written,
      ids: MadeIds,
      dataPath: String,
  ): Vector[Operation] = {
    val table = shaped(numbered(ids), before)
    val after = shaped(table, version.step)
    val alter = Option.when(after != table) {
      Operation.AlterTable(table, table.schema, TableDefinition.of(after))
    }
    // Its files are not among those of the first commit, which is the only one to look at others.
    val register = version.files.registered(after, dataPath, Long.MaxValue)
    alter.toVector ++ Option.when(version.deletesAnything)(deletes(after, version, ids)) :+ register
  }

  private def deletes(
      after: LakeTable,
      version: Written,
      ids: MadeIds,
  ): Operation = {
    val removals = version.files.removals.map(_._2)
    val whole = version.files.ended ++ removals.collect { case Removal.Whole(file) => file }
    val some = removals.collect { case Removal.Part(file, deletes) =>
      val id = ids.files(file.path)
      NewDeleteFile(
        id,
        ids.deletes.get(id).toVector,
        deletes.path,
        deletes.deleteCount,
        deletes.physical,
      )
    }
    Operation.DeleteRows(
      after,
      whole.map(file => ids.files(file.path)),
      some,
      Map.empty,
      IndexedSeq.empty,
    )
  }

  private def shaped(table: LakeTable, step: HistoryStep): LakeTable =
    MoveHistory.shaped(table, step)

  /** The table with the ids that its first commit has given it. */
  private def numbered(ids: MadeIds): LakeTable = {
    val own = ids.tables(made.uuid)
    made.copy(
      id = own.id,
      partition = made.partition.zip(own.partition).map { case (spec, id) =>
        PartitionSpec(id, spec.keys)
      },
    )
  }
}

private[moving] object MoveHistory {

  /** The versions of a plan, for [[VersionFiles]].
    *
    * @param table as the operations name it
    */
  def planned(table: LakeTable, plan: HistoryPlan): Vector[PlannedVersion] =
    plan.steps.map(step => PlannedVersion(shaped(table, step), plan.at(step), step.change))

  private def shaped(table: LakeTable, step: HistoryStep): LakeTable =
    table.copy(columns = step.source.columns)
}

/** A version whose files are written. */
private[moving] final case class Written(step: HistoryStep, files: WrittenVersion) {

  def deletesAnything: Boolean = files.ended.nonEmpty || files.removals.map(_._2).exists {
    case Removal.Whole(_) | Removal.Part(_, _) => true
    case Removal.Same | Removal.Returned => false
  }

  def changesAnything: Boolean =
    step.isReshaped || deletesAnything || files.accepted.files.exists { case (one, known) =>
      MovedFiles.registered(one, known, files.moved).nonEmpty
    }
}
