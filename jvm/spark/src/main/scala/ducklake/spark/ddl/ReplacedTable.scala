package ducklake.spark.ddl

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TablePart
import ducklake.catalog.model.LakeTable

/** A table in whose place a statement creates another table.
  *
  * @param options the names of the lake options that are stored for it
  * @param isRead whether the statement reads its rows
  */
final case class ReplacedTable(table: LakeTable, options: Vector[String], isRead: Boolean) {

  /** The operations that remove it. Rows that others added or changed since the statement read it
    * would be lost, so the commit fails then.
    */
  def operations: Vector[Operation] = Operation.DropTable(table) +: guard

  /** The operation that makes the commit fail when the statement read rows that others changed. */
  def guard: Vector[Operation] =
    if (isRead) Vector(Operation.AssertUnchanged(table, TablePart.Content)) else Vector.empty
}
