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
import ducklake.spark.moving.follow.FollowReport
import ducklake.spark.moving.follow.FollowSource
import ducklake.spark.moving.history.HistoryPlan
import ducklake.spark.moving.history.HistoryReport
import ducklake.spark.moving.history.MoveHistory
import ducklake.spark.moving.history.PlannedVersion
import ducklake.spark.moving.history.SourceLooks
import ducklake.spark.moving.history.VersionFiles
import ducklake.spark.moving.iceberg.IcebergSource
import ducklake.spark.moving.parquet.ParquetSource
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StatementInfo
import org.apache.spark.sql.classic.SparkSession

/** Makes a table of another format a table of the lake: its data files stay where they are, and
  * become data files of a table, in one commit (decision 31). A later move into the same table
  * brings what the source has changed since.
  */
final class MoveTable(lake: SessionLake) {

  private val conf = WriteHadoopConf.ofSession(SparkSession.active, lake.config.hadoop)

  /** What the move has done, or would do.
    *
    * Errors: Unsupported without the library, and for a table that a lake cannot have;
    * InvalidArgument when there is no table at the source; CannotAddFile for the first file that a
    * lake cannot have; FileAlreadyRegistered; errors of a commit. Nothing was changed then.
    */
  def fromIceberg(request: MoveRequest): Vector[MoveLine] =
    move(request, IcebergSource.open(request.source, request.name, request.shared, conf))

  /** Like [[fromIceberg]].
    *
    * @param definitions what becomes of those that lakes do not have
    *
    * Errors: as of [[fromIceberg]].
    */
  def fromDelta(request: MoveRequest, definitions: LostDefinitions): Vector[MoveLine] = {
    val consent = MoveConsent(definitions, request.shared)
    val found = DeltaSource.open(request.source, request.name, consent, conf)
    move(request, found)
  }

  /** Like [[fromIceberg]], for a folder of Parquet files or a table of them in the session's catalog.
    *
    * Errors: as of [[fromIceberg]], without those about a library; Spark's exceptions.
    */
  def fromParquet(request: MoveRequest): Vector[MoveLine] =
    move(request, ParquetSource.open(request.source, request.name, conf))

  private def move(request: MoveRequest, found: MovableSource): Vector[MoveLine] = {
    val base = request.base
    val check = request.mode match {
      case MoveMode.CheckedMove => Some(new RowCheck(lake, found.rows, conf))
      case MoveMode.DryRun | MoveMode.Move => None
    }
    val earlier = for {
      table <- base.table(request.target.namespace.toVector, request.target.name)
      record <- MoveRecord.of(lake.lake.options(), table.id)
    } yield (table, record)
    (earlier, request.versions) match {
      case (Some((table, _)), MovedVersions.All) =>
        SparkErrors.raise(MoveTable.notMovable(request.source, table, Vector(MoveTable.past)))
      case (Some((table, record)), MovedVersions.Current) =>
        val follow = new FollowSource(lake, table, conf)
        val plan = follow.plan(base, record, found)
        if (request.mode == MoveMode.DryRun) {
          val (trial, outcomes) = follow.tried(base, plan)
          FollowReport.of(trial, outcomes)
        } else {
          MoveTable.refuse(request.source, table, plan.refused)
          val (outcomes, sum) = follow.move(base, plan, check)
          FollowReport.of(plan, outcomes) ++ sum.map(MoveReport.checked)
        }
      case (None, MovedVersions.All) => withHistory(request, found)
      case (None, MovedVersions.Current) =>
        val plan = MovePlan.of(found.now, base.version)
        if (request.mode == MoveMode.DryRun) {
          val trial = tried(request, plan)(MoveTable.planned(_, plan))
          MoveReport.of(plan, trial.outcomes, trial.problems)
        } else {
          val (outcomes, sum) = create(request, creation(request, plan), plan, check)
          MoveReport.of(plan, outcomes, Vector.empty) ++ sum.map(MoveReport.checked)
        }
    }
  }

  private def withHistory(request: MoveRequest, found: MovableSource): Vector[MoveLine] = {
    val history = found.history
    val looks = new SourceLooks(request.name, conf)
    val plan = HistoryPlan.of(history, found.steps(history), looks, request.base.version)
    val refused = MoveTable.tooNew(request.base, plan).toVector
    if (request.mode == MoveMode.DryRun) {
      val trial = tried(request, plan.at(plan.steps.head))(MoveHistory.planned(_, plan))
      HistoryReport.of(plan, trial.outcomes, refused ++ trial.problems)
    } else {
      val create = creation(request, plan.at(plan.steps.head))
      refuse(request, create, plan.now.source.refused ++ refused)
      val outcomes = new MoveHistory(lake, create, conf).move(request.base, plan)
      HistoryReport.of(plan, outcomes, Vector.empty)
    }
  }

  /** What stands in the way of the files, whose footers are read unless the table itself cannot move.
    */
  private def tried(request: MoveRequest, plan: MovePlan)(
      versions: LakeTable => Vector[PlannedVersion]
  ): Trial =
    if (plan.source.refused.nonEmpty) Trial(FileOutcomes.none, Vector.empty)
    else {
      val table = MoveTable.made(creation(request, plan))
      val (outcomes, problems) = new VersionFiles(lake, table, conf).tried(versions(table))
      val encrypted = Option.when(request.base.isEncrypted)(MoveTable.Encrypted)
      Trial(outcomes, encrypted.toVector ++ problems)
    }

  private def creation(request: MoveRequest, plan: MovePlan): Operation.CreateTable = {
    val columns = plan.source.columns
    val lastColumn = Option(plan.source.lastColumn).filter(_.value > MovedFiles.greatest(columns))
    new NewTables(lake).identified(request.base, request.target, columns, plan.keys, lastColumn)
  }

  private def create(
      request: MoveRequest,
      create: Operation.CreateTable,
      plan: MovePlan,
      check: Option[RowCheck],
  ): (FileOutcomes, Option[RowSum]) = {
    refuse(request, create, plan.source.refused)
    val base = request.base
    val table = MoveTable.made(create)
    val written = new VersionFiles(lake, table, conf).write(MoveTable.planned(table, plan))
    val register = written.versions.head
      .registered(table, lake.lake.dataPath(), base.snapshot.nextFileId)
    val sum = written.discarding.after(check.map(_.run(base, request.source, register, None)))
    val record = plan.source.origin.map(Operation.RecordMove(TableTarget.of(table), _))
    val outcome = lake.commit(base, Vector(create, register) ++ record, StatementInfo.none)
    outcome.ifNoSnapshot(written.discarding.run())
    outcome.orThrow: Unit
    (written.outcomes, sum)
  }

  private def refuse(
      request: MoveRequest,
      create: Operation.CreateTable,
      reasons: Vector[String],
  ): Unit = {
    val table = MoveTable.made(create)
    MoveTable.refuse(request.source, table, reasons)
    if (request.base.isEncrypted)
      MoveTable.refuse(request.source, table, Vector(MoveTable.Encrypted))
  }
}

/** What a dry run found out about files.
  *
  * @param problems what the lake has against them
  */
private final case class Trial(outcomes: FileOutcomes, problems: Vector[String])

private[moving] object MoveTable {

  private val Encrypted = "the lake is encrypted, its files are not"

  /** Errors: Unsupported when there are reasons. */
  private[moving] def refuse(source: String, table: LakeTable, reasons: Vector[String]): Unit =
    if (reasons.nonEmpty) SparkErrors.raise(notMovable(source, table, reasons))

  private def notMovable(source: String, table: LakeTable, reasons: Vector[String]): LakeError =
    LakeError.Unsupported(
      s"Making `$source` the table ${table.qualifiedName} (${reasons.mkString("; ")})",
      "Nothing was changed. The call with dry_run => true lists everything.",
    )

  private val past =
    "it has moved before: only the first move of a table brings the history of its source"

  /** The only version of a move without history. */
  private def planned(table: LakeTable, plan: MovePlan): Vector[PlannedVersion] =
    Vector(PlannedVersion(table, plan, SourceChange(plan.files, Vector.empty, Vector.empty)))

  /** Why the lake cannot have the history. The commit looks again. */
  private def tooNew(base: LakeSnapshot, plan: HistoryPlan): Option[String] = {
    val newest = base.snapshot
    val oldest = plan.steps.head.version.time
    oldest.filter(_ => newest.id.value > 0).filterNot(_.isAfter(newest.time)).map { time =>
      s"its history begins at $time, and the newest snapshot of the lake is of ${newest.time}"
    }
  }

  /** The table as the operations after its creation name it. */
  private[moving] def made(create: Operation.CreateTable): LakeTable = {
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
