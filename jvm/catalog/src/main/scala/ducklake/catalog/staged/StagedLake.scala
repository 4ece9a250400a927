package ducklake.catalog.staged

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.TableId

/** The net effect of the statements of a transaction. Statements read it on top of the base
  * snapshot, and the commit is made from it (decision 30).
  *
  * @param tables the tables whose rows changed
  * @param generation the number of statements that changed something
  * @param nextId the next of the [[UncommittedIds]], for files and rows of all tables
  * @param written full paths of all files that the statements wrote
  */
final case class StagedLake(
    tables: Map[TableId, StagedTable],
    generation: Long,
    nextId: Long,
    written: Vector[String],
) {

  /** The last generation in which a table changed; 0 for a table without changes. */
  def generationOf(table: TableId): Long = tables.get(table).fold(0L)(_.generation)

  /** Adds the operations of one statement.
    *
    * @param seen the generation of each table that the statement has read
    *
    * Errors: Unsupported for an operation that cannot be part of a transaction; CommitConflict when
    * another statement of the transaction has changed the rows that this statement deletes.
    */
  def stage(operations: Vector[Operation], seen: TableId => Long): Either[LakeError, StagedLake] =
    operations
      .collectFirst { case other if StagedLake.isStale(this, other, seen) => other }
      .flatMap(_.existing)
      .map(table => Left(StagedLake.changedMeanwhile(table)))
      .getOrElse {
        val begun: Either[LakeError, StagedLake] = Right(copy(generation = generation + 1))
        operations.foldLeft(begun)((done, operation) => done.flatMap(_.step(operation)))
      }

  private def step(operation: Operation): Either[LakeError, StagedLake] = operation match {
    case Operation.AppendFiles(TableTarget.Existing(table), files) =>
      Right(files.foldLeft(this)(_.add(table, _)))
    case Operation.AppendInlined(TableTarget.Existing(table), rows) =>
      Right(rows.foldLeft(this)(_.add(table, _)))
    case delete: Operation.DeleteRows => Right(changed(delete.table)(_.without(delete)))
    case Operation.Truncate(table) => Right(changed(table)(_.emptied))
    case guard: Operation.AssertNoNewRows => Right(changed(guard.table)(_.guarded(guard)))
    case guard: Operation.AssertSameRows => Right(changed(guard.table)(_.guarded(guard)))
    case other => Left(StagedLake.refused(other))
  }

  private def add(table: LakeTable, file: NewDataFile): StagedLake = {
    val rowIds = file.rowIds match {
      case RowIds.Fresh => file.recordCount
      case RowIds.Embedded => 0L
    }
    val own = StagedFile(DataFileId(nextId), file, firstRowId = nextId + 1)
    changed(table)(known => known.copy(files = known.files :+ own)).copy(
      nextId = nextId + 1 + rowIds,
      written = written :+ LakePath(file.path, isRelative = true).fileIn(table.directory),
    )
  }

  private def add(table: LakeTable, row: NewInlinedRow): StagedLake = {
    val own = StagedRow(row.rowId.getOrElse(nextId), row.values)
    changed(table)(known => known.copy(rows = known.rows :+ own))
      .copy(nextId = if (row.rowId.isEmpty) nextId + 1 else nextId)
  }

  private def changed(table: LakeTable)(change: StagedTable => StagedTable): StagedLake = {
    val known = tables.getOrElse(table.id, StagedTable(table, generation))
    copy(tables = tables + (table.id -> change(known).copy(generation = generation)))
  }
}

object StagedLake {

  val empty: StagedLake = StagedLake(Map.empty, 0L, UncommittedIds.First + 1, Vector.empty)

  private def isStale(lake: StagedLake, operation: Operation, seen: TableId => Long): Boolean =
    operation match {
      case delete: Operation.DeleteRows =>
        lake.generationOf(delete.table.id) != seen(delete.table.id)
      case Operation.Truncate(table) => lake.generationOf(table.id) != seen(table.id)
      case _ => false
    }

  private def changedMeanwhile(table: LakeTable): LakeError =
    LakeError.CommitConflict(
      s"it wants to delete from ${table.qualifiedName}, and another statement of the same " +
        "transaction changed the table since it began"
    )

  private def refused(operation: Operation): LakeError =
    notInTransaction(RefusedOperations.nameOf(operation))

  /** The error of something that cannot be part of a transaction. */
  def notInTransaction(what: String): LakeError =
    LakeError.Unsupported(
      s"$what inside a transaction",
      "Nothing was changed, and the transaction is still open. Commit or roll it back first.",
    )
}
