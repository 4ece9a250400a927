package ducklake.spark.maintenance.rollback

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.CopiedDataFile
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TablePart
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.statistics.AddedRows
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.DataFileId
import ducklake.files.delete.CompressedPositions
import ducklake.files.path.PathResolver
import ducklake.spark.delete.DeleteOperationBuilder
import ducklake.spark.delete.RowsToDelete
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteTarget
import ducklake.spark.session.WrittenFiles
import ducklake.spark.write.WriteSpec
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.collection.immutable.ArraySeq

/** Makes the operations that bring one table back to a past snapshot, and writes their files
  * (decision 12).
  */
private[rollback] final class TableRollback(
    session: SessionLake,
    base: LakeSnapshot,
    past: LakeSnapshot,
    target: RollbackTarget,
) {
  import TableRollback.Chosen

  private val spark = SparkSession.active
  private val conf = WriteHadoopConf.ofSession(spark, session.config.hadoop)
  private val table = target.past
  private val present = target.present.getOrElse(table)
  private val directory = PathResolver.hadoopPath(table.directory)
  private val write = WriteTarget.existing(session, base, table)
  private val config = write.config(CaseInsensitiveStringMap.empty())
  private val limit =
    if (base.mayInline(table.columns)) write.inliningRowLimit(config) else 0L
  private val difference = new TableDifference(session, base, past, target.present, table, conf)

  // The noted paths of new files, changed by one thread at a time. The files are deleted when the
  // rollback fails.
  @volatile private var noted: Vector[String] = Vector.empty

  /** The files that have been written so far. */
  def written: WrittenFiles = WrittenFiles(noted)

  /** The operations; empty when the table is unchanged. New data files come before delete files,
    * and rows end in the catalog before their past versions are added.
    *
    * Errors: UnreadableFile for a missing file of the past; Unsupported for rows that Spark cannot
    * write; errors of reading and writing. After an error the caller deletes the files.
    */
  def run(): Vector[Operation] = {
    val reshaped = Operation.RestoreTable(target.present, table, past.snapshot.id)
    val copies = copied()
    val (files, rows) = returned()
    val removed = removal()
    val done = Vector(
      target.replaced.map(Operation.DropTable(_)),
      Option.when(reshaped.shape.isChanged)(reshaped),
      Option.when(copies.nonEmpty)(Operation.RestoreFiles(table, copies, past.snapshot.id)),
      Option.when(files.nonEmpty)(Operation.AppendFiles(TableTarget.Existing(table), files)),
      removed,
      Option.when(rows.nonEmpty)(Operation.AppendInlined(TableTarget.Existing(table), rows)),
    ).flatten
    val guarded =
      (present +: target.replaced.toVector).map(Operation.AssertUnchanged(_, TablePart.Files))
    if (done.isEmpty) done else done ++ guarded
  }

  private def copied(): Vector[CopiedDataFile] = {
    val sources = difference.files.copied.map(file => file.id -> file).toMap
    if (sources.isEmpty) Vector.empty
    else {
      var copies = Vector.empty[CopiedFile]
      val take = (done: Vector[CopiedFile]) => {
        copies ++= done
        noted ++= done.map(directory + _.path)
      }
      val wanted = difference.files.copied.map(CopySource.of(_, table))
      val known = difference.statisticsOfCopied()
      CopyJob.run(session, table, wanted, take)
      copies.sortBy(_.source.value).map { copy =>
        val file = sources(copy.source)
        val statistics = known.getOrElse(file.id, Map.empty)
        val rows = AddedRows(file.recordCount, freshIds = 0L, file.sizeBytes, statistics)
        CopiedDataFile(copy.source, copy.path, rows)
      }
    }
  }

  /** Rows that were deleted since from files that the table still has, rows of files that cannot be
    * copied, and past versions of inlined rows.
    */
  private def returned(): (Vector[NewDataFile], Vector[NewInlinedRow]) = {
    val (files, rows) = ofFiles()
    val inlined = new RestoredInlinedRows(session, base, table, config)
    inlined.write(difference.inlined.returned, conf) match {
      case Left(others) =>
        noted ++= others.map(directory + _.path)
        (files ++ others, rows)
      case Right(own) => (files, own ++ rows)
    }
  }

  private def ofFiles(): (Vector[NewDataFile], Vector[NewInlinedRow]) = {
    val all = difference.files.rewritten.map(_.id -> Option.empty[CompressedPositions])
    val some = difference.deletedSince.map { case (file, positions) => file -> Option(positions) }
    val chosen = all.toMap ++ some
    if (chosen.isEmpty) (Vector.empty, Vector.empty)
    else
      divided(chosen) match {
        case (through, copied) if through.isEmpty => (copiedRows(copied), Vector.empty)
        case (through, copied) =>
          val files = copiedRows(copied)
          rowsOf(through, if (files.isEmpty) limit else 0L) match {
            case Left(others) => (files ++ others, Vector.empty)
            case Right(rows) => (files, rows)
          }
      }
  }

  /** The files whose rows may pass through Spark's types, and the files whose rows are copied. Few
    * rows can be inlined, and rows of another partition spec get the values of the present spec.
    */
  private def divided(chosen: Chosen): (Chosen, Chosen) = {
    val files = difference.pastListing.files.filter(file => chosen.contains(file.id))
    val counts = files.map(file => chosen(file.id).fold(file.recordCount)(_.size))
    if (table.columns.exists(RestoredRowsJob.mayChange)) (Map.empty, chosen)
    else if (counts.sum <= limit) (chosen, Map.empty)
    else {
      val ofOtherKeys =
        files.filter(_.partition.map(_.id) != table.partition.map(_.id)).map(_.id).toSet
      chosen.partition { case (file, _) => ofOtherKeys(file) }
    }
  }

  private def copiedRows(chosen: Chosen): Vector[NewDataFile] =
    if (chosen.isEmpty) Vector.empty
    else {
      val files = difference.pastListing.files.filter(file => chosen.contains(file.id))
      val hiding = files.filter { file =>
        chosen(file.id).isEmpty && file.visibility != RowVisibility.All
      }
      val all = chosen ++ difference
        .pastPositions(hiding.map(_.id).toSet)
        .map { case (file, positions) => file -> Option(positions) }
      val note = (file: NewDataFile) => noted :+= directory + file.path
      new CopiedRowWriter(session, table, past, difference.pastListing.mappings, config, note)
        .write(files.map(file => file -> all(file.id)))
    }

  private def rowsOf(
      chosen: Chosen,
      mostInlined: Long,
  ): Either[Vector[NewDataFile], Vector[NewInlinedRow]] = {
    val listed = past.seenThrough(new ListedFiles(difference.pastListing, chosen.keySet))
    val spec = WriteSpec(
      table.qualifiedName,
      directory,
      table.columns,
      session.timeRule,
      WriteKey.of(write.layout, table.columns),
      config,
      maxBufferedRows = mostInlined,
    )
    val note = (files: Vector[NewDataFile]) => noted ++= files.map(directory + _.path)
    val rows = RowsToRestore(chosen.map { case (file, positions) => file.value -> positions })
    new RestoredRowsJob(spark, new TableAtSnapshot(session, listed, table), spec, note)
      .write(rows, mostInlined)
  }

  /** Ends the rows that the past snapshot does not have. All rows of a file with inlined deletes
    * are deleted by position, because DuckDB's change feed would report the inlined deletes again
    * if the file ended.
    */
  private def removal(): Option[Operation.DeleteRows] = {
    val (ended, emptied) = difference.files.ended.partition(DeleteOperationBuilder.mayEnd)
    val positions = difference.cameSince ++ difference.livePositions(emptied)
    val removed = RowsToDelete(positions, difference.inlined.ended.to(ArraySeq), ended)
    Option.unless(removed.isEmpty) {
      val (delete, files) =
        new DeleteOperationBuilder(present, base, limit, conf).write(removed, base)
      noted ++= files.paths
      delete
    }
  }
}

private object TableRollback {

  /** Files with the positions of the rows that are written again; None: all rows that the past
    * snapshot has.
    */
  private type Chosen = Map[DataFileId, Option[CompressedPositions]]
}
