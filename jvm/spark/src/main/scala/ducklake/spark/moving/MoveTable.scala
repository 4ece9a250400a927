package ducklake.spark.moving

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RegisteredFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.registration.MatchRules
import ducklake.catalog.registration.RegistrationRequest
import ducklake.catalog.types.Column
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.TableId
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.files.path.PathResolver
import ducklake.spark.ddl.NewTables
import ducklake.spark.errors.SparkErrors
import ducklake.spark.maintenance.add.AcceptedFile
import ducklake.spark.maintenance.add.CandidateFile
import ducklake.spark.maintenance.add.ColumnMatching
import ducklake.spark.maintenance.add.FootersJob
import ducklake.spark.maintenance.add.FootersSpec
import ducklake.spark.maintenance.add.KnownContent
import ducklake.spark.maintenance.add.OwnedFiles
import ducklake.spark.moving.iceberg.IcebergSource
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StatementInfo
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier

/** Makes a table of another format a table of the lake: its data files stay where they are, and
  * become data files of a new table, in one commit (decision 31).
  */
final class MoveTable(lake: SessionLake) {

  private val conf = WriteHadoopConf.ofSession(SparkSession.active, lake.config.hadoop)

  /** What the move has done, or would do.
    *
    * @param source a metadata file of Iceberg, or the folder of a table
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
    val plan = MovePlan.of(IcebergSource.read(source, qualified, conf), base.version)
    if (!isTrial) move(base, plan, source, name)
    MoveReport.of(plan)
  }

  private def move(base: LakeSnapshot, plan: MovePlan, source: String, name: Identifier): Unit = {
    val found = plan.source
    val lastColumn = Option(found.lastColumn).filter(_.value > greatest(found.columns))
    val create =
      new NewTables(lake).identified(base, name, found.columns, plan.keys, lastColumn)
    val table = MoveTable.made(create)
    found.refused.headOption.foreach(_ => refuse(source, table, found.refused))
    if (base.isEncrypted) refuse(source, table, Vector("the lake is encrypted, its files are not"))
    val files = accepted(table, plan)
    val deleted = files.flatMap(_._1.deleted)
    val deletes = new SourceDeletesJob(table.directory, table.qualifiedName, conf)
    val moved = deletes.run(deleted).map(each => each.number -> each).toMap
    val operation = Operation.RegisterFiles(
      table,
      Vector.empty,
      files.flatMap { case (one, known) => registered(one, known, moved) },
      lake.lake.dataPath(),
      base.snapshot.nextFileId,
    )
    val outcome = lake.commit(base, Vector(create, operation), StatementInfo.none)
    outcome.ifNoSnapshot(deletes.discard(deleted))
    outcome.orThrow: Unit
  }

  private def greatest(columns: Vector[Column]): Long = MoveTable.names(columns).keys.max.toLong

  private def refuse(source: String, table: LakeTable, reasons: Vector[String]): Nothing =
    SparkErrors.raise(
      LakeError.Unsupported(
        s"Making `$source` the table ${table.qualifiedName} (${reasons.mkString("; ")})",
        "Nothing was changed. The call with dry_run => true lists everything.",
      )
    )

  private def accepted(
      table: LakeTable,
      plan: MovePlan,
  ): Vector[(NumberedSource, AcceptedFile)] = {
    val sources = plan.files.zipWithIndex.map { case (file, number) =>
      NumberedSource(number, file)
    }
    new OwnedFiles(lake, table.qualifiedName, conf).refuse(sources.map(_.path))
    val request = RegistrationRequest(
      table.columns,
      plan.keys,
      MatchRules(allowsMissing = true, ignoresExtra = true),
      usesPathKeys = false,
      withoutBounds = Set.empty,
    )
    val names = ColumnMatching.ById(MoveTable.names(table.columns))
    val candidates = sources.map { one =>
      val known = KnownContent(one.file.recordCount, plan.partition(one.file))
      CandidateFile(one.number, one.path, PathResolver.hadoopPath(one.path), Some(known))
    }
    val outcomes =
      FootersJob.run(lake, FootersSpec(table.qualifiedName, request, names), candidates)
    outcomes.refused.foreach { file =>
      val refusal = file.refusal
      SparkErrors.raise(
        LakeError.CannotAddFile(table.qualifiedName, file.path, refusal.why, refusal.hint)
      )
    }
    outcomes.accepted.sortBy(_.position).map(file => sources(file.position) -> file)
  }

  /** None for a file without rows. */
  private def registered(
      one: NumberedSource,
      known: AcceptedFile,
      moved: Map[Int, MovedDeletes],
  ): Option[RegisteredFile] = {
    val deletes = moved.get(one.number) match {
      case Some(MovedDeletes.Everything(_)) => Left(())
      case Some(MovedDeletes.Some(_, found)) => Right(Some(found))
      case Some(MovedDeletes.Nothing(_)) | None => Right(None)
    }
    deletes.toOption.map { found =>
      RegisteredFile(
        LakePath(one.path, isRelative = false),
        mapping = None,
        known.recordCount,
        known.physical,
        known.partition,
        known.statistics,
        found,
      )
    }
  }
}

/** A data file with its place in the source. */
private[moving] final case class NumberedSource(number: Int, file: SourceFile) {

  /** In DuckDB's spelling. */
  val path: String = file.path match {
    case s"file:$rest" => "/" + rest.dropWhile(_ == '/')
    case other => other
  }

  /** The file with the names of its delete file, when it has deletes. */
  val deleted: Option[DeletedFile] = Option.when(file.deletes.nonEmpty) {
    DeletedFile(number, file, AttemptNames.next(FileNames.deleteFile()))
  }
}

private object MoveTable {

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

  private def names(columns: Vector[Column]): Map[Int, String] =
    columns.flatMap { column =>
      (Math.toIntExact(column.id.value) -> column.name) +: names(column.children).toVector
    }.toMap
}
