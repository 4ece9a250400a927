package ducklake.catalog.staged

import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.FileBounds
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedReceiver
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.listing.InlinedRow
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.listing.TableCounts
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.predicate.StatsPruning
import ducklake.catalog.predicate.StrictMetricsEvaluator
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.cast.RowPromotion

/** The files and rows of a table as the statements of a transaction see them: those of the base
  * without what the transaction has deleted, and its own.
  *
  * @param table as the statement sees it
  */
final class StagedListing(own: StagedTable, table: LakeTable) {

  /** @param base lists the files of the base; it is not asked when no row of the base is left */
  def files(request: FileRequest)(base: FileRequest => FileListing): FileListing = {
    val found = if (own.isEmptied) nothing(request) else base(hiding(request))
    request.inlined.foreach(rows)
    val (kept, pruned) = own.files.partition(mayMatch(_, request))
    val prunedIds = pruned.map(_.id).toSet
    FileListing(
      found.files.filterNot(file => own.endedFiles(file.id)).map(withDeletes) ++
        kept.map(listed(_, request)),
      found.listedFiles - own.endedFiles.size + own.files.size,
      found.listedBytes + own.files.map(_.file.sizeBytes).sum,
      found.statistics ++ ownStatistics(kept, request.statistics),
      found.mappings ++ kept.flatMap(_.registered).flatMap(_.mapping).map(one => one.id -> one),
      file => prunedIds(file) || found.isPruned(file),
      fullMatches(kept, request, found),
      bounds = FileBounds.Both(ownStatistics(kept, request.bounds), found.bounds),
    )
  }

  private def ownStatistics(
      files: Vector[StagedFile],
      columns: Set[ColumnId],
  ): Map[DataFileId, Map[ColumnId, ColumnStatistics]] =
    files.map { file =>
      file.id -> file.statistics(table.columns).filter { case (id, _) => columns(id) }
    }.toMap

  /** Of files of the base, and of own files. */
  def filesById(ids: Vector[DataFileId])(
      base: Vector[DataFileId] => Vector[DataFile]
  ): Vector[DataFile] = {
    val (mine, others) = ids.partition(id => UncommittedIds.contains(id.value))
    val left = if (own.isEmptied) Vector.empty else others.filterNot(own.endedFiles)
    val wanted = mine.toSet
    base(left)
      .map(withDeletes) ++ own.files.filter(file => wanted(file.id)).map(_.listed(table.columns))
  }

  /** The counts; exact unless the rows of a deleted file are not known. */
  def counts(base: => TableCounts): TableCounts = {
    val before = if (own.isEmptied) TableCounts(0, 0, 0, 0, isExact = true) else base
    TableCounts(
      before.fileRows + own.files.map(_.file.recordCount).sum,
      before.deletedRows + own.files.map(_.dead.length.toLong).sum +
        own.deleted.valuesIterator.map(_.length.toLong).sum,
      before.inlinedRows - own.endedRows.size + own.rows.size,
      before.fileBytes + own.files.map(_.file.sizeBytes).sum,
      before.isExact && own.endedFiles.isEmpty,
    )
  }

  private def nothing(request: FileRequest): FileListing = {
    request.inlined.foreach(_.receiver.begin())
    FileListing(Vector.empty, 0L, 0L, Map.empty, Map.empty, _ => false, _ => false)
  }

  /** The request to the base. As many inlined rows more are asked for as may be hidden, and all
    * files when some of their rows are.
    */
  private def hiding(request: FileRequest): FileRequest = {
    val isChanged = own.endedFiles.nonEmpty || own.deleted.nonEmpty
    val files = if (isChanged) request.copy(enoughRows = None) else request
    if (own.endedRows.isEmpty) files
    else
      files.copy(inlined = request.inlined.map { asked =>
        asked.copy(
          limit = asked.limit.map(_ + own.endedRows.size),
          receiver = new StagedListing.LeftRows(asked.receiver, own.endedRows),
        )
      })
  }

  private def rows(request: InlinedRequest): Unit = {
    val promotion = new RowPromotion(own.table.columns, request.columns)
    own.rows.foreach { row =>
      val values = promotion.of(row.values).fold(error => throw new LakeException(error), identity)
      request.receiver.add(
        InlinedRow(StagedListing.Place, row.rowId, UncommittedIds.Snapshot, values)
      )
    }
  }

  private def withDeletes(file: DataFile): DataFile =
    own.deleted.get(file.id).fold(file) { positions =>
      file.copy(inlinedDeletes = Positions.union(file.inlinedDeletes, positions))
    }

  private def listed(file: StagedFile, request: FileRequest): DataFile =
    request.partitionValues match {
      case PartitionValues.Read => file.listed(table.columns)
      case PartitionValues.LeftOut => file.listed(table.columns).copy(partition = None)
    }

  private lazy val leaves = LeafColumns.of(table.columns)

  private def mayMatch(file: StagedFile, request: FileRequest): Boolean =
    request.predicates.forall(
      StatsPruning.mayMatch(_, file.statistics(table.columns).get, leaves.get)
    )

  private def fullMatches(
      files: Vector[StagedFile],
      request: FileRequest,
      found: FileListing,
  ): DataFileId => Boolean =
    if (!request.asksFullMatches) _ => false
    else {
      val types = table.columns.map(column => column.id -> column.dataType).toMap
      val mine = files.map { file =>
        val isProven = listed(file, request).provesRows || request.predicates.isEmpty
        file.id -> (isProven && request.predicates.forall(
          StrictMetricsEvaluator.allRowsMatch(_, file.statistics(table.columns).get, types.get)
        ))
      }.toMap
      id => mine.getOrElse(id, found.fullMatches(id))
    }
}

private object StagedListing {

  /** What own inlined rows show in place of an inlined table's name. */
  val Place: String = "uncommitted"

  /** Passes on the rows that the transaction has not deleted. */
  final class LeftRows(receiver: InlinedReceiver, ended: Set[Long]) extends InlinedReceiver {
    def begin(): Unit = receiver.begin()
    def add(row: InlinedRow): Unit = if (!ended(row.rowId)) receiver.add(row)
  }
}
