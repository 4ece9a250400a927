package ducklake.spark.moving.follow

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.KnownDeletes
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TablePart
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.option.MoveRecord
import ducklake.catalog.option.OptionChange
import ducklake.catalog.option.OptionScope
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.SnapshotId
import ducklake.files.delete.StoredDeletes
import ducklake.files.foreign.ExistingFile
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.files.path.PathResolver
import ducklake.spark.errors.SparkErrors
import ducklake.spark.maintenance.add.FileOutcomes
import ducklake.spark.moving.DeletedFile
import ducklake.spark.moving.EarlierDeletes
import ducklake.spark.moving.KeptIds
import ducklake.spark.moving.MovableSource
import ducklake.spark.moving.MovePlan
import ducklake.spark.moving.MovedFiles
import ducklake.spark.moving.NumberedSource
import ducklake.spark.moving.Removal
import ducklake.spark.moving.ReturnedRows
import ducklake.spark.moving.RewriteJob
import ducklake.spark.moving.RowCheck
import ducklake.spark.moving.RowSum
import ducklake.spark.moving.SourceDeletesJob
import ducklake.spark.moving.SourceFile
import ducklake.spark.moving.SourceTable
import ducklake.spark.moving.history.Discarding
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StatementInfo
import org.apache.hadoop.conf.Configuration

/** Brings what a source has changed since it moved into the table, in one commit. */
private[moving] final class FollowSource(lake: SessionLake, table: LakeTable, conf: Configuration) {

  def plan(
      base: LakeSnapshot,
      record: MoveRecord,
      source: MovableSource,
  ): FollowPlan = {
    val next = SnapshotId(record.at.value + 1)
    val nextColumn = base.nextColumnId(table)
    val listing = base.files(table, FileRequest.everyFile)
    val moved = MovedTable(
      table,
      record,
      listing.files,
      nextColumn,
      base.counts(table).inlinedRows,
      base.firstEntries(table.id, next)(_ => true).map(_.snapshot),
    )
    source.at(record.origin.version) match {
      case Right(earlier) =>
        val ever = listing.mappings.values.map(one => FollowSource.named(one.columns))
        val (before, now) = KeptIds.of(
          table.columns,
          nextColumn,
          earlier,
          source.now,
          ever.foldLeft(Vector.empty[Column])(KeptIds.merged),
        )
        FollowPlan.of(
          moved,
          Right(counted(before, listing.files)),
          MovePlan.of(now, base.version).following(FollowPlan.keys(table)),
        )
      case Left(why) => FollowPlan.of(moved, Left(why), MovePlan.of(source.now, base.version))
    }
  }

  /** The source with the numbers of rows of files that the table lacks, from their footers where the
    * source does not say them: a file without rows was not moved.
    */
  private def counted(source: SourceTable, files: Vector[DataFile]): SourceTable = {
    val placed = new PlacedFiles(files)
    source.copy(files = source.files.map { file =>
      val isLacking =
        file.recordCount.isEmpty && file.deletes.isEmpty && placed.of(file).isEmpty
      if (isLacking) file.copy(recordCount = rowsOf(file)) else file
    })
  }

  /** None when the file cannot be read: the source may have lost it since. */
  private def rowsOf(file: SourceFile): Option[Long] =
    try {
      val opened = PathResolver.hadoopPath(file.stored)
      Some(ExistingFile.read(opened, table.qualifiedName, conf).recordCount)
    } catch { case _: LakeException => None }

  /** The plan, with what new files and deletes have against it: the footers of the files, files that
    * the lake has already, as those that a RESTORE has brought back, and deleted rows that are there
    * again.
    */
  def tried(base: LakeSnapshot, plan: FollowPlan): (FollowPlan, FileOutcomes) =
    if (plan.refused.nonEmpty) (plan, FileOutcomes.none)
    else {
      val files = new MovedFiles(lake, after(plan), conf)
      val outcomes = files.footers(plan.now, NumberedSource.all(plan.added))
      val problems = outcomes.refused.map(one => s"file ${one.path} ${one.refusal.why}")
      val back = returned(base, plan).map(file => s"deleted rows of ${file.path} are there again")
      val uncounted = numbered(plan).left.toOption.map(FollowSource.uncounted)
      (plan.copy(refused = files.owned(plan.added) ++ problems ++ back ++ uncounted), outcomes)
    }

  private def returned(base: LakeSnapshot, plan: FollowPlan): Vector[SourceFile] = {
    val files = plan.deleted.map { case (file, known) =>
      val before = known.fold[EarlierDeletes](EarlierDeletes.Everything) { own =>
        EarlierDeletes.OfLake(StoredDeletes.ofAll(own, table.qualifiedName), base.snapshot.id.value)
      }
      before -> file
    }
    val found = new ReturnedRows(table.qualifiedName, conf).among(files)
    plan.deleted.map(_._1).zip(found).collect { case (file, true) => file }
  }

  /** The files with other deletes, numbered after the new files. Left: the first one whose number of
    * rows nobody says.
    */
  private def numbered(
      plan: FollowPlan
  ): Either[SourceFile, Vector[(DeletedFile, Option[DataFile])]] = {
    val found = plan.deleted.zipWithIndex.map { case ((file, known), index) =>
      deleted(plan.added.size + index, file, known).map(_ -> known)
    }
    found.collectFirst { case Left(file) => file }.toLeft(found.flatMap(_.toOption))
  }

  private def after(plan: FollowPlan): LakeTable =
    table.copy(columns = plan.columns.getOrElse(table.columns))

  /** Returns what the footers of the new files say, and the sum of the check.
    *
    * Errors: as for the first move; Unsupported when deleted rows came back, and for a file with
    * other deletes whose number of rows is unknown; those of the check.
    */
  def move(
      base: LakeSnapshot,
      plan: FollowPlan,
      check: Option[RowCheck],
  ): (FileOutcomes, Option[RowSum]) =
    if (plan.isEmpty) {
      val nothing = Operation.RegisterFiles(table, Vector.empty, Vector.empty, "", 0L)
      val sum = check.map(_.run(base, plan.now.source.name, nothing, None))
      remember(base, plan)
      (FileOutcomes.none, sum)
    } else {
      val after = this.after(plan)
      val reader = new MovedFiles(lake, after, conf)
      reader.refuseOwned(plan.added)
      val files = reader.accepted(plan.now, NumberedSource.all(plan.added))
      returned(base, plan).headOption.foreach(file =>
        SparkErrors.raise(FollowSource.returned(file))
      )
      val changed = numbered(plan).fold(FollowSource.refuseUncounted, identity)
      val rewrites = new RewriteJob(lake, after, files.outcomes.mappings)
      val rewritten = rewrites.run(files.toRewrite)
      val written = files.deleted(rewritten, table.directory) ++ changed.map(_._1)
      val job = new SourceDeletesJob(table.directory, table.qualifiedName, conf)
      val discarding =
        Discarding(() => rewrites.discard(rewritten)).and(Discarding(() => job.discard(written)))
      val (register, deletes, sum) = discarding.after {
        val moved = job.run(written).map(each => each.number -> each).toMap
        val found = changed.map { case (file, known) =>
          file -> Removal.of(moved(file.number), known)(_.deleteCount)
        }
        found.filter(_._2 == Removal.Returned).foreach { case (file, _) =>
          SparkErrors.raise(FollowSource.returned(file.file))
        }
        job.discard(found.collect { case (file, Removal.Same) => file })
        val data = lake.lake.dataPath()
        val register = files.registered(after, moved, rewritten, data, base.snapshot.nextFileId)
        val deletes = delete(after, plan.ended, found.map(_._2))
        (register, deletes, check.map(_.run(base, plan.now.source.name, register, deletes)))
      }
      val operations = alter(after).toVector ++ deletes ++
        Vector(register, Operation.AssertUnchanged(table, TablePart.Files)) ++
        plan.now.source.origin.map(Operation.RecordMove(TableTarget.of(table), _))
      val outcome = lake.commit(base, operations, StatementInfo.none)
      outcome.ifNoSnapshot(discarding.run())
      outcome match {
        case CommitOutcome.Unchanged(_) => remember(base, plan)
        case other => other.orThrow: Unit
      }
      (files.outcomes, sum)
    }

  private def deleted(
      number: Int,
      file: SourceFile,
      known: Option[DataFile],
  ): Either[SourceFile, DeletedFile] =
    known.map(_.recordCount).orElse(file.recordCount).toRight(file).map { count =>
      val dataFile = known.fold(file.path)(_.path)
      DeletedFile(number, file, dataFile, count, AttemptNames.next(FileNames.deleteFile()))
    }

  /** Stores the version of a source whose rows and columns are the same as before. */
  private def remember(base: LakeSnapshot, plan: FollowPlan): Unit =
    for {
      record <- MoveRecord.of(lake.lake.options(), table.id)
      origin <- plan.now.source.origin.filter(_ != record.origin)
    } {
      val change = OptionChange(MoveRecord.Key, Some(record.copy(origin = origin).value))
      lake.setOptions(base, Operation.SetOptions(OptionScope.OfTable(table.id), Vector(change)))
    }

  private def alter(after: LakeTable): Option[Operation] =
    Option.when(after != table) {
      Operation.AlterTable(table, table.schema, TableDefinition.of(after))
    }

  private def delete(
      after: LakeTable,
      ended: Vector[DataFile],
      removals: Vector[Removal[DataFile]],
  ): Option[Operation.DeleteRows] = {
    val whole = ended ++ removals.collect { case Removal.Whole(file) => file }
    val some = removals.collect { case Removal.Part(file, deletes) => file -> deletes }
    val operation = Operation.DeleteRows(
      after,
      whole.map(_.id),
      some.map { case (file, deletes) =>
        val replaced = file.deleteFiles.map(_.id)
        NewDeleteFile(file.id, replaced, deletes.path, deletes.deleteCount, deletes.physical)
      },
      Map.empty,
      IndexedSeq.empty,
      (whole ++ some.map(_._1)).map(file => file.id -> KnownDeletes.of(file)).toMap,
    )
    Option.when(whole.nonEmpty || some.nonEmpty)(operation)
  }
}

private object FollowSource {

  /** The columns for which a name mapping has names, also those that the table has lost. */
  private def named(mapped: Vector[MappedColumn]): Vector[Column] =
    mapped.map { one =>
      val children = named(one.children)
      Column(
        one.target,
        one.sourceName,
        LakeType.NullType,
        nullsAllowed = true,
        None,
        None,
        None,
        children,
      )
    }

  private def uncounted(file: SourceFile): String =
    s"its log does not say how many rows ${file.path} has, whose deletes are others"

  private def refuseUncounted(file: SourceFile): Nothing =
    SparkErrors.raise(
      LakeError.Unsupported(
        s"Following the source (${uncounted(file)})",
        "Nothing was changed. Move the table anew under another name.",
      )
    )

  private def returned(file: SourceFile): LakeError =
    LakeError.Unsupported(
      s"Bringing back deleted rows of ${file.path}",
      "Nothing was changed. Move the table anew under another name.",
    )
}
