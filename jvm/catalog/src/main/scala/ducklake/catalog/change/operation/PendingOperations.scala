package ducklake.catalog.change.operation

import ducklake.catalog.change.statistics.InlinedStatistics
import ducklake.catalog.change.statistics.KeptBounds
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SchemaId

/** Answers which objects the operations of a commit change, and how. */
private[catalog] object PendingOperations {

  /** The existing tables that the operations change or check, each once. */
  def tables(operations: Vector[Operation]): Vector[LakeTable] =
    operations
      .flatMap {
        case Operation.DropTable(table) => Some(table)
        case Operation.AlterTable(table, _, _) => Some(table)
        case Operation.SetTableOptions(table, _) => Some(table)
        case Operation.RecordEpoch(table, _) => Some(table)
        case Operation.AppendFiles(TableTarget.Existing(table), _) => Some(table)
        case Operation.AppendInlined(TableTarget.Existing(table), _) => Some(table)
        case register: Operation.RegisterFiles => Some(register.table)
        case delete: Operation.DeleteRows => Some(delete.table)
        case Operation.Truncate(table) => Some(table)
        case flush: Operation.FlushInlined => Some(flush.table)
        case merge: Operation.MergeFiles => Some(merge.table)
        case rewrite: Operation.RewriteFiles => Some(rewrite.table)
        case recompute: Operation.RecomputeStatistics => Some(recompute.table)
        case guard: Operation.AssertNoNewRows => Some(guard.table)
        case Operation.AssertSameRows(table) => Some(table)
        case guard: Operation.AssertRowsSeen => Some(guard.table)
        case restore: Operation.RestoreTable => Some(restore.past)
        case restore: Operation.RestoreFiles => Some(restore.table)
        case guard: Operation.AssertUnchanged => Some(guard.table)
        case Operation.AppendFiles(TableTarget.Created(_), _) |
            Operation.AppendInlined(TableTarget.Created(_), _) | _: Operation.CreateTable |
            _: Operation.CreateSchema | _: Operation.DropSchema | _: Operation.SetSchemaTags |
            _: Operation.CreateView | _: Operation.DropView | _: Operation.RenameView |
            _: Operation.SetViewTags | _: Operation.DropMacro | _: Operation.RestoreSchema |
            Operation.AssertLakeUnchanged =>
          None
      }
      .distinctBy(_.id)

  /** Whether the operations only add rows to existing tables and delete rows. The check of such a
    * commit needs only the present state of its tables.
    */
  def changeOnlyRows(operations: Vector[Operation]): Boolean = operations.forall {
    case Operation.AppendFiles(TableTarget.Existing(_), _) |
        Operation.AppendInlined(TableTarget.Existing(_), _) | _: Operation.RegisterFiles |
        _: Operation.DeleteRows | _: Operation.Truncate | _: Operation.RecordEpoch |
        _: Operation.AssertRowsSeen =>
      true
    case _ => false
  }

  /** Schemas in which tables are created. */
  def creatingIn(operations: Vector[Operation]): Set[SchemaId] =
    operations.collect { case create: Operation.CreateTable => create.schema.id }.toSet

  def alters(operations: Vector[Operation], table: LakeTable): Boolean = operations.exists {
    case Operation.AlterTable(altered, _, _) => altered.id == table.id
    case restore: Operation.RestoreTable => restore.past.id == table.id
    case _ => false
  }

  /** Whether the commit needs the statistics of the table. */
  def appendsTo(operations: Vector[Operation], table: LakeTable): Boolean = operations.exists {
    case Operation.AppendFiles(TableTarget.Existing(target), _) => target.id == table.id
    case Operation.AppendInlined(TableTarget.Existing(target), _) => target.id == table.id
    case register: Operation.RegisterFiles => register.table.id == table.id
    case restore: Operation.RestoreTable => restore.past.id == table.id
    case restore: Operation.RestoreFiles => restore.table.id == table.id
    case _ => false
  }

  /** The bounds from which the commit recomputes the statistics of the table. */
  def recomputedFrom(operations: Vector[Operation], table: LakeTable): Option[KeptBounds] =
    operations.collectFirst {
      case Operation.RecomputeStatistics(of, kept) if of.id == table.id => kept
    }

  /** Whether the commit registers existing files as data files of the table. */
  def registersIn(operations: Vector[Operation], table: LakeTable): Boolean = operations.exists {
    case register: Operation.RegisterFiles => register.table.id == table.id
    case _ => false
  }

  /** Leaf columns that get, or may get, a value other than NULL. */
  def givesValues(operations: Vector[Operation], table: LakeTable): Set[ColumnId] =
    operations.iterator
      .flatMap {
        case Operation.AppendFiles(TableTarget.Existing(target), files) if target.id == table.id =>
          files.iterator.map(_.statistics)
        case register: Operation.RegisterFiles if register.table.id == table.id =>
          register.files.iterator.map(_.statistics)
        case Operation.AppendInlined(TableTarget.Existing(target), rows) if target.id == table.id =>
          Iterator(InlinedStatistics.of(target.columns, rows.map(_.values)))
        case Operation.RestoreFiles(target, copies, _) if target.id == table.id =>
          copies.iterator.map(_.rows.statistics)
        case _ => Iterator.empty
      }
      .flatMap(_.iterator.collect { case (id, known) if !known.valueCount.contains(0L) => id })
      .toSet

  /** The columns of the rows that the commit inlines; None when it inlines none. */
  def inlinedShape(operations: Vector[Operation], table: LakeTable): Option[Vector[Column]] =
    operations.collectFirst {
      case Operation.AppendInlined(TableTarget.Existing(target), _) if target.id == table.id =>
        target.columns
    }

  def truncates(operations: Vector[Operation], table: LakeTable): Boolean = operations.exists {
    case Operation.Truncate(truncated) => truncated.id == table.id
    case _ => false
  }

  def endsInlined(operations: Vector[Operation], table: LakeTable): Boolean = operations.exists {
    case delete: Operation.DeleteRows =>
      delete.table.id == table.id && delete.endedInlined.nonEmpty
    case _ => false
  }

  /** Whether the commit adds inlined deletes for data files of the table. */
  def deletesInCatalog(operations: Vector[Operation], table: LakeTable): Boolean =
    operations.exists {
      case delete: Operation.DeleteRows =>
        delete.table.id == table.id && delete.inlinedDeletes.nonEmpty
      case _ => false
    }
}
