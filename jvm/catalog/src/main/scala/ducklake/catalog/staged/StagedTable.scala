package ducklake.catalog.staged

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.cast.RowPromotion

import scala.collection.immutable.ArraySeq

/** The net effect of a transaction on the rows of one table. A row that the transaction has both
  * added and deleted is in no part of it but in the dead rows of its files.
  *
  * @param table as it is now
  * @param generation of the last statement that changed the table
  * @param isEmptied whether no row of the base is left; true for a table that the transaction made
  * @param files the own data files, in the order in which they were added
  * @param rows the own inlined rows, likewise
  * @param lastColumnId the largest column id that the transaction has given
  * @param endedFiles data files of the base whose rows are all deleted
  * @param deleted positions of deleted rows in other data files of the base
  * @param endedRows row ids of deleted inlined rows of the base
  */
final case class StagedTable(
    table: LakeTable,
    generation: Long,
    isEmptied: Boolean = false,
    files: Vector[StagedFile] = Vector.empty,
    rows: Vector[StagedRow] = Vector.empty,
    endedFiles: Set[DataFileId] = Set.empty,
    deleted: Map[DataFileId, ArraySeq[Long]] = Map.empty,
    endedRows: Set[Long] = Set.empty,
    lastColumnId: Long = 0L,
) {

  /** The table with another definition. Own inlined rows get the values of its columns; own files
    * stay as they are, like older files of a table.
    *
    * Errors: InvalidValue.
    */
  def defined(after: LakeTable): Either[LakeError, StagedTable] = {
    val promotion = new RowPromotion(table.columns, after.columns)
    val start: Either[LakeError, Vector[StagedRow]] = Right(Vector.empty)
    rows
      .foldLeft(start)((done, row) =>
        done
          .flatMap(all => promotion.of(row.values).map(values => all :+ row.copy(values = values)))
      )
      .map { promoted =>
        val last = StagedTable.lastColumnId(after.columns).max(lastColumnId)
        copy(table = after, rows = promoted, lastColumnId = last)
      }
  }

  /** One more than any column id that the table ever had.
    *
    * @param atBase the same of the table at the base, which has one unless the transaction made it
    */
  def nextColumnId(atBase: => ColumnId): ColumnId = {
    val own = lastColumnId + 1
    if (UncommittedIds.contains(table.id.value)) ColumnId(own)
    else ColumnId(own.max(atBase.value))
  }

  /** All rows of the table, own rows too, are deleted. */
  def emptied: StagedTable =
    copy(
      isEmptied = true,
      files = Vector.empty,
      rows = Vector.empty,
      endedFiles = Set.empty,
      deleted = Map.empty,
      endedRows = Set.empty,
    )

  /** Deletes rows that were visible: they are neither deleted yet nor dead. */
  def without(delete: Operation.DeleteRows): StagedTable = {
    val withoutFiles = delete.endedFiles.foldLeft(this)(_.withoutFile(_))
    val withoutPositions = delete.inlinedDeletes.foldLeft(withoutFiles) {
      case (left, (file, positions)) => left.withoutPositions(file, positions)
    }
    withoutPositions.withoutRows(delete.endedInlined)
  }

  private def withoutFile(id: DataFileId): StagedTable =
    if (UncommittedIds.contains(id.value)) copy(files = files.filterNot(_.id == id))
    else copy(endedFiles = endedFiles + id, deleted = deleted - id)

  private def withoutPositions(id: DataFileId, positions: IndexedSeq[Long]): StagedTable =
    if (UncommittedIds.contains(id.value))
      copy(files =
        files
          .map { own =>
            if (own.id == id) own.copy(dead = Positions.union(own.dead, positions)) else own
          }
          .filter(_.liveRows > 0)
      )
    else {
      val before = deleted.getOrElse(id, Positions.none)
      copy(deleted = deleted + (id -> Positions.union(before, positions)))
    }

  /** A row id names the own row, when there is one: then the row of the base has ended already. */
  private def withoutRows(rowIds: IndexedSeq[Long]): StagedTable = {
    val gone = rowIds.toSet
    val own = rows.map(_.rowId).toSet.intersect(gone)
    copy(rows = rows.filterNot(row => own(row.rowId)), endedRows = endedRows ++ (gone -- own))
  }

  /** The table with its own inlined rows in files. Nobody asks for these files by their ids. */
  def withRowsIn(written: Vector[NewDataFile]): StagedTable = {
    val added = written.map { file =>
      StagedFile(DataFileId(UncommittedIds.First), file, firstRowId = UncommittedIds.First, table)
    }
    copy(rows = Vector.empty, files = files ++ added)
  }

  /** Whether rows of the base are deleted one by one, or file by file. */
  def deletesRows: Boolean = endedFiles.nonEmpty || deleted.nonEmpty || endedRows.nonEmpty

  /** The operations on the rows of the table.
    *
    * @param dataPath of the lake
    * @param added the own files without dead rows
    * @param deletes deletes the rows of the base, unless [[isEmptied]]
    */
  def operations(
      dataPath: String,
      added: Vector[StagedFile],
      deletes: Option[Operation],
  ): Vector[Operation] = {
    val target = TableTarget.of(table)
    val truncate = target.existing.filter(_ => isEmptied).map(Operation.Truncate(_))
    val inlines = Option.when(rows.nonEmpty)(Operation.AppendInlined(target, rows.map(_.added)))
    truncate.toVector ++ new FileOperations(table, dataPath).of(added) ++ deletes ++ inlines
  }
}

object StagedTable {

  /** A table that the transaction has made. */
  def made(table: LakeTable, generation: Long): StagedTable =
    StagedTable(table, generation, isEmptied = true, lastColumnId = lastColumnId(table.columns))

  private def lastColumnId(columns: Vector[Column]): Long =
    columns
      .map(column => column.id.value.max(lastColumnId(column.children)))
      .maxOption
      .getOrElse(0L)
}
