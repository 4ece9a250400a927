package ducklake.catalog.change.statement

import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.operation.FlushedDeletes
import ducklake.catalog.change.operation.FlushedFile
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.SnapshotDeleteFile
import ducklake.catalog.change.operation.VersionKey
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.write.FlushSql
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType

/** Statements of a flush. A flushed file begins at the oldest snapshot of its rows, and its rows
  * are removed from the catalog. Inlined tables are kept even when they are empty, because sessions
  * of other engines may have cached their names.
  *
  * Source: DuckDB 1.5.5 (format 7.5); ours, decision 03.
  */
private[statement] final class FlushStatements(
    sql: WriteSql,
    dialect: Dialect,
    version: FormatVersion,
) {
  import FlushStatements.leaves

  private val files = new FileStatements(sql)
  private val flush = new FlushSql(dialect, version)

  def flush(
      plan: CommitDraft,
      operation: Operation.FlushInlined,
      context: CommitContext,
  ): CommitDraft = {
    val table = operation.table
    val added = dataFiles(operation, plan.nextFileId)
    val withFiles =
      plan.copy(nextFileId = plan.nextFileId + added.size).run(files.add(table.id, added.map(_._2)))
    val flushedDeletes = added.flatMap { case (file, numbered) =>
      file.deletes.map(DataFileId(numbered.id) -> _)
    }
    val all = operation.deletes.map(deletes => deletes.dataFile -> deletes.file) ++ flushedDeletes
    val cleared = replaced(withFiles, operation.deletes, context)
    val withDeletes = cleared
      .copy(nextFileId = cleared.nextFileId + all.size)
      .run(files.addDeletes(table.id, cleared.nextFileId, all.map(deleteFile)))
      .run(lateDeletes(table, added, context.tables(table.id)))
    recorded(withDeletes.run(removals(operation)).run(addSize(table, added.map(_._1))), operation)
  }

  /** Keeps as inlined deletes of the new files what others deleted since the flush read the rows.
    *
    * Errors: CommitConflict when these are too many, or a task has written their file.
    */
  private def lateDeletes(
      table: LakeTable,
      added: Vector[(FlushedFile, NumberedFile)],
      known: TableContext,
  ): Vector[Sql] =
    if (known.lateEnds.isEmpty) Vector.empty
    else {
      if (known.lateEnds.sizeIs > LateEnd.Most) refuse(table)
      val places = positionsOf(known.lateEnds.map(_.version).toSet, added)
      val deletes = known.lateEnds.map { case LateEnd(version, end) =>
        places.get(version) match {
          case Some(Vector(place)) => end -> place
          case _ => refuse(table)
        }
      }
      val name = InlinedSql.deletesTable(table.id)
      val created = Option.unless(known.hasInlinedDeletes)(sql.createInlinedDeletes(name))
      created.toVector ++ deletes.groupMap(_._1)(_._2).toVector.sortBy(_._1.value).flatMap {
        case (end, places) => sql.insertInlinedDeletes(name, places, end)
      }
    }

  private def positionsOf(
      versions: Set[VersionKey],
      added: Vector[(FlushedFile, NumberedFile)],
  ): Map[VersionKey, Vector[(DataFileId, Long)]] = {
    val found = for {
      (file, numbered) <- added
      (version, position) <- file.versions.toVector.flatten.zipWithIndex
      if versions(version)
    } yield version -> (DataFileId(numbered.id) -> position.toLong)
    found.groupMap(_._1)(_._2)
  }

  private def refuse(table: LakeTable): Nothing =
    throw new LakeException(
      LakeError.CommitConflict(
        s"it wants to flush ${table.qualifiedName}, whose inlined rows another commit changed since it began"
      )
    )

  /** @param first the id of the first file
    */
  private def dataFiles(
      operation: Operation.FlushInlined,
      first: Long,
  ): Vector[(FlushedFile, NumberedFile)] = {
    val partition = operation.table.partition.filter(_.keys.nonEmpty).map(_.id)
    val all = operation.rows.flatMap { rows =>
      val types = leaves(rows.columns, operation.table.columns)
      rows.files.map(_ -> types)
    }
    all.zipWithIndex.map { case ((file, types), index) =>
      val entry = FileEntry(FileSnapshots.of(file.span), partition, types)
      file -> NumberedFile(first + index, None, file.file, registered = None, entry)
    }
  }

  private def deleteFile(of: (DataFileId, SnapshotDeleteFile)): (FileSnapshots, NewDeleteFile) = {
    val (dataFile, file) = of
    FileSnapshots.of(file.span) -> NewDeleteFile(
      dataFile,
      Vector.empty,
      file.path,
      file.deleteCount,
      file.physical,
    )
  }

  /** Removes the older delete files and schedules them for deletion. They would overlap with the
    * new delete file, which has all deletes of the data file; DuckDB removes them too.
    */
  private def replaced(
      plan: CommitDraft,
      deletes: Vector[FlushedDeletes],
      context: CommitContext,
  ): CommitDraft = {
    val older = deletes.flatMap(_.replaces)
    plan
      .run(flush.removeDeleteFiles(older.map(_._1)))
      .run(
        sql.insert(MetadataSchema.ScheduledForDeletion, older)(
          "data_file_id" -> (file => Bind.Number(file._1.value)),
          "path" -> (file => Bind.Text(file._2.text)),
          "path_is_relative" -> (file => Bind.Flag(file._2.isRelative)),
          "schedule_start" -> (_ => Bind.Moment(context.now)),
        )
      )
  }

  private def removals(operation: Operation.FlushInlined): Vector[Sql] =
    operation.rows.map(rows => flush.removeVersions(rows.inlinedTable, operation.upTo)) ++
      operation.deletesTable.map(flush.removeDeletes(_, operation.upTo))

  private def addSize(table: LakeTable, added: Vector[FlushedFile]): Option[Sql] =
    Option.when(added.nonEmpty)(sql.growTable(table.id, added.map(_.file.sizeBytes).sum))

  /** Records the flush even when only deletes were flushed; DuckDB records it only for flushed
    * rows. With the entry, DuckDB's sessions do not add inlined deletes to a data file whose
    * deletes were just flushed. The peer entries keep DuckDB from writing a second delete file:
    * DuckDB would not see the flushed delete file, which begins at the snapshot of its first delete
    * (format 4.6).
    */
  private def recorded(plan: CommitDraft, operation: Operation.FlushInlined): CommitDraft = {
    val id = operation.table.id.value
    val flushed = plan.withChange(ChangeKind.Flush, id)
    if (operation.deletes.isEmpty) flushed
    else
      flushed.withPeerEntry(ChangeKind.DeletedFrom, id).withPeerEntry(ChangeKind.InsertedInto, id)
  }
}

private object FlushStatements {

  /** The types in whose texts the statistics of a file are written. These are the types of the
    * file's columns. A FLOAT that is a DOUBLE today is written as DOUBLE, because the text of a
    * FLOAT is not exact as a DOUBLE.
    */
  def leaves(
      ofFile: Vector[Column],
      today: Vector[Column],
  ): Map[ColumnId, LakeType.Primitive] = {
    val now = LeafColumns.of(today)
    LeafColumns.of(ofFile).map {
      case (id, LakeType.Float32) => id -> now.getOrElse(id, LakeType.Float32)
      case (id, earlier) => id -> earlier
    }
  }
}
