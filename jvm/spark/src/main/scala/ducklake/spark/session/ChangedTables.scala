package ducklake.spark.session

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.Names

/** The tables whose rows or columns a commit changes, so that cached rows of them are no longer
  * right.
  */
private[session] object ChangedTables {

  /** The names of the changed tables, in all spellings of a query. */
  def changed(catalog: String, operations: Vector[Operation]): Vector[Vector[String]] =
    spellings(catalog, operations.flatMap(changedBy))

  /** The names that afterwards mean another table, or no table, in all spellings of a query. */
  def ended(catalog: String, operations: Vector[Operation]): Vector[Vector[String]] =
    spellings(catalog, operations.flatMap(endedBy))

  /** A table of `main` also has a spelling without schema. */
  private def spellings(catalog: String, names: Vector[Vector[String]]): Vector[Vector[String]] =
    names.distinct.flatMap { name =>
      val whole = catalog +: name
      if (isInMain(name)) Vector(whole, Vector(catalog, name.last)) else Vector(whole)
    }

  private def isInMain(name: Vector[String]): Boolean =
    name.sizeIs == 2 && Names.isSame(name.head, "main")

  /** The ended names, each after the names of its schema; likewise [[changedBy]]. */
  private def endedBy(operation: Operation): Vector[Vector[String]] =
    operation match {
      case Operation.DropTable(table) => of(table)
      case alter: Operation.AlterTable => if (isRenamed(alter)) of(alter.table) else Vector.empty
      case restore: Operation.RestoreTable =>
        restore.present.toVector.flatMap(of).diff(of(restore.past))
      case _ => Vector.empty
    }

  private def changedBy(operation: Operation): Vector[Vector[String]] =
    operation match {
      case Operation.CreateTable(schema, _, _, definition, _) =>
        Vector(schema.path :+ definition.name)
      case alter: Operation.AlterTable =>
        if (alter.definition.columns != alter.table.columns) of(alter.table) else Vector.empty
      case Operation.AppendFiles(target, _) => of(target)
      case Operation.AppendInlined(target, _) => of(target)
      case register: Operation.RegisterFiles => of(register.table)
      case delete: Operation.DeleteRows => of(delete.table)
      case Operation.Truncate(table) => of(table)
      case restore: Operation.RestoreTable => of(restore.past)
      case restore: Operation.RestoreFiles => of(restore.table)
      case _: Operation.DropTable | _: Operation.CreateSchema | _: Operation.DropSchema |
          _: Operation.SetSchemaTags | _: Operation.RestoreSchema | _: Operation.DropMacro |
          _: Operation.SetTableOptions | _: Operation.RecordEpoch | _: Operation.CreateView |
          _: Operation.DropView | _: Operation.RenameView | _: Operation.SetViewTags |
          _: Operation.FlushInlined | _: Operation.MergeFiles | _: Operation.RewriteFiles |
          _: Operation.RecomputeStatistics | _: Operation.AssertNoNewRows |
          _: Operation.AssertSameRows | _: Operation.AssertRowsSeen | _: Operation.AssertUnchanged |
          Operation.AssertLakeUnchanged =>
        Vector.empty
    }

  private def isRenamed(alter: Operation.AlterTable): Boolean =
    alter.definition.name != alter.table.name || alter.schema.id != alter.table.schema.id

  private def of(target: TableTarget): Vector[Vector[String]] = target match {
    case TableTarget.Existing(table) => of(table)
    case TableTarget.Created(_) => Vector.empty
  }

  private def of(table: LakeTable): Vector[Vector[String]] =
    Vector(table.schema.path :+ table.name)
}
