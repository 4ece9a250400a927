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
import ducklake.spark.moving.iceberg.IcebergSource
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
      isTrial: Boolean,
  ): Vector[MoveLine] = {
    val qualified = (name.namespace.toVector :+ name.name).mkString(".")
    move(base, IcebergSource.open(source, qualified, conf), source, name, isTrial)
  }

  private def move(
      base: LakeSnapshot,
      found: MovableSource,
      source: String,
      name: Identifier,
      isTrial: Boolean,
  ): Vector[MoveLine] = {
    val now = MovePlan.of(found.now, base.version)
    val earlier = for {
      table <- base.table(name.namespace.toVector, name.name)
      record <- MoveRecord.of(lake.lake.options(), table.id)
    } yield (table, record)
    earlier match {
      case Some((table, record)) =>
        val follow = new FollowSource(lake, table, conf)
        val plan = follow.plan(base, record, found, now)
        if (!isTrial) {
          MoveTable.refuse(source, table, plan.refused)
          follow.move(base, plan)
        }
        FollowReport.of(plan)
      case None =>
        if (!isTrial) create(base, now, source, name)
        MoveReport.of(now)
    }
  }

  private def create(base: LakeSnapshot, plan: MovePlan, source: String, name: Identifier): Unit = {
    val found = plan.source
    val lastColumn =
      Option(found.lastColumn).filter(_.value > MovedFiles.greatest(found.columns))
    val create =
      new NewTables(lake).identified(base, name, found.columns, plan.keys, lastColumn)
    val table = MoveTable.made(create)
    MoveTable.refuse(source, table, found.refused)
    if (base.isEncrypted)
      MoveTable.refuse(source, table, Vector("the lake is encrypted, its files are not"))
    val files = new MovedFiles(lake, table, conf).accepted(plan, plan.files)
    val deleted = files.deleted
    val deletes = new SourceDeletesJob(table.directory, table.qualifiedName, conf)
    val moved = deletes.run(deleted).map(each => each.number -> each).toMap
    val register =
      files.registered(table, moved, lake.lake.dataPath(), base.snapshot.nextFileId)
    val record = found.origin.map(Operation.RecordMove(TableTarget.of(table), _))
    val outcome = lake.commit(base, Vector(create, register) ++ record, StatementInfo.none)
    outcome.ifNoSnapshot(deletes.discard(deleted))
    outcome.orThrow: Unit
  }
}

private object MoveTable {

  /** Errors: Unsupported when there are reasons. */
  private def refuse(source: String, table: LakeTable, reasons: Vector[String]): Unit =
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
