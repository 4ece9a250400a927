package ducklake.spark.moving

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.option.MoveRecord
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.TableId
import ducklake.spark.ddl.NewTables
import ducklake.spark.errors.SparkErrors
import ducklake.spark.maintenance.add.FileOutcomes
import ducklake.spark.moving.delta.DeltaSource
import ducklake.spark.moving.iceberg.IcebergSource
import ducklake.spark.moving.parquet.ParquetSource
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StatementInfo
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier

/** Makes a table of another format a table of the lake: its data files stay where they are, and
  * become data files of a table, in one commit (decision 31). A later move into the same table
  * brings what the source has changed since.
  */
final class MoveTable(lake: SessionLake) {

  private val conf = WriteHadoopConf.ofSession(SparkSession.active, lake.config.hadoop)

  /** What the move has done, or would do.
    *
    * @param source a metadata file of Iceberg, the folder of a table, or a name in a catalog of the
    *   session
    *
    * Errors: Unsupported without the library, and for a table that a lake cannot have;
    * InvalidArgument when there is no table at the source; CannotAddFile for the first file that a
    * lake cannot have; FileAlreadyRegistered; errors of a commit. Nothing was changed then.
    */
  def fromIceberg(
      base: LakeSnapshot,
      source: String,
      name: Identifier,
      mode: MoveMode,
  ): Vector[MoveLine] =
    move(base, IcebergSource.open(source, qualified(name), conf), source, name, mode)

  /** Like [[fromIceberg]].
    *
    * @param source the folder of a table of Delta
    * @param definitions what becomes of those that lakes do not have
    *
    * Errors: as of [[fromIceberg]].
    */
  def fromDelta(
      base: LakeSnapshot,
      source: String,
      name: Identifier,
      definitions: LostDefinitions,
      mode: MoveMode,
  ): Vector[MoveLine] = {
    val found = DeltaSource.open(source, qualified(name), definitions, conf)
    move(base, found, source, name, mode)
  }

  /** Like [[fromIceberg]].
    *
    * @param source a folder of Parquet files, or a table of them in the session's catalog
    *
    * Errors: as of [[fromIceberg]], without those about a library; Spark's exceptions.
    */
  def fromParquet(
      base: LakeSnapshot,
      source: String,
      name: Identifier,
      mode: MoveMode,
  ): Vector[MoveLine] =
    move(base, ParquetSource.open(source, qualified(name), conf), source, name, mode)

  private def qualified(name: Identifier): String =
    (name.namespace.toVector :+ name.name).mkString(".")

  private def move(
      base: LakeSnapshot,
      found: MovableSource,
      source: String,
      name: Identifier,
      mode: MoveMode,
  ): Vector[MoveLine] = {
    val check = mode match {
      case MoveMode.CheckedMove => Some(new RowCheck(lake, found.rows, conf))
      case MoveMode.DryRun | MoveMode.Move => None
    }
    val earlier = for {
      table <- base.table(name.namespace.toVector, name.name)
      record <- MoveRecord.of(lake.lake.options(), table.id)
    } yield (table, record)
    earlier match {
      case Some((table, record)) =>
        val follow = new FollowSource(lake, table, conf)
        val plan = follow.plan(base, record, found)
        if (mode == MoveMode.DryRun) FollowReport.of(follow.tried(plan))
        else {
          MoveTable.refuse(source, table, plan.refused)
          val sum = follow.move(base, plan, check)
          FollowReport.of(plan) ++ sum.map(MoveReport.checked)
        }
      case None =>
        val plan = MovePlan.of(found.now, base.version)
        if (mode == MoveMode.DryRun) tried(base, plan, name)
        else {
          val (outcomes, sum) = create(base, plan, source, name, check)
          MoveReport.of(plan, outcomes, Vector.empty) ++ sum.map(MoveReport.checked)
        }
    }
  }

  /** What a trial would do, and what stands in the way. The footers of all files are read, unless the
    * table itself cannot move.
    */
  private def tried(base: LakeSnapshot, plan: MovePlan, name: Identifier): Vector[MoveLine] =
    if (plan.source.refused.nonEmpty) MoveReport.of(plan, FileOutcomes.none, Vector.empty)
    else {
      val files = new MovedFiles(lake, MoveTable.made(creation(base, plan, name)), conf)
      val encrypted = Option.when(base.isEncrypted)(MoveTable.Encrypted)
      val owned = files.owned(plan.files)
      MoveReport.of(plan, files.footers(plan, plan.files), encrypted.toVector ++ owned)
    }

  private def creation(
      base: LakeSnapshot,
      plan: MovePlan,
      name: Identifier,
  ): Operation.CreateTable = {
    val columns = plan.source.columns
    val lastColumn = Option(plan.source.lastColumn).filter(_.value > MovedFiles.greatest(columns))
    new NewTables(lake).identified(base, name, columns, plan.keys, lastColumn)
  }

  private def create(
      base: LakeSnapshot,
      plan: MovePlan,
      source: String,
      name: Identifier,
      check: Option[RowCheck],
  ): (FileOutcomes, Option[RowSum]) = {
    val found = plan.source
    val create = creation(base, plan, name)
    val table = MoveTable.made(create)
    MoveTable.refuse(source, table, found.refused)
    if (base.isEncrypted)
      MoveTable.refuse(source, table, Vector(MoveTable.Encrypted))
    val files = new MovedFiles(lake, table, conf).accepted(plan, plan.files)
    val rewrites = new RewriteJob(lake, table, files.outcomes.mappings)
    val rewritten = rewrites.run(files.toRewrite)
    val deleted = files.deleted(rewritten, table.directory)
    val deletes = new SourceDeletesJob(table.directory, table.qualifiedName, conf)
    val moved =
      try deletes.run(deleted).map(each => each.number -> each).toMap
      catch {
        case failure: Throwable =>
          rewrites.discard(rewritten)
          throw failure
      }
    val dataPath = lake.lake.dataPath()
    val register =
      files.registered(table, moved, rewritten, dataPath, base.snapshot.nextFileId)
    val sum =
      try check.map(_.run(base, source, register, None))
      catch {
        case failure: Throwable =>
          deletes.discard(deleted)
          rewrites.discard(rewritten)
          throw failure
      }
    val record = found.origin.map(Operation.RecordMove(TableTarget.of(table), _))
    val outcome = lake.commit(base, Vector(create, register) ++ record, StatementInfo.none)
    outcome.ifNoSnapshot {
      deletes.discard(deleted)
      rewrites.discard(rewritten)
    }
    outcome.orThrow: Unit
    (files.outcomes, sum)
  }
}

private[moving] object MoveTable {

  private val Encrypted = "the lake is encrypted, its files are not"

  /** Errors: Unsupported when there are reasons. */
  private[moving] def refuse(source: String, table: LakeTable, reasons: Vector[String]): Unit =
    if (reasons.nonEmpty)
      SparkErrors.raise(
        LakeError.Unsupported(
          s"Making `$source` the table ${table.qualifiedName} (${reasons.mkString("; ")})",
          "Nothing was changed. The call with dry_run => true lists everything.",
        )
      )

  /** The table as the operations after its creation name it. */
  private def made(create: Operation.CreateTable): LakeTable = {
    val definition = create.definition
    val keys = Option.when(definition.partition.nonEmpty)(definition.partition)
    LakeTable(
      TableId(UncommittedIds.First),
      create.uuid,
      create.schema,
      definition.name,
      create.path.folderIn(create.schema.directory),
      definition.columns,
      definition.tags,
      keys.map(PartitionSpec(PartitionId(UncommittedIds.First), _)),
      None,
    )
  }
}
