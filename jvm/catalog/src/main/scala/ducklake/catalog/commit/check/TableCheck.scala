package ducklake.catalog.commit.check

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.Requirement
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeTable
import ducklake.catalog.sql.query.CommitSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.SnapshotId

/** Checks that tables whose rows a commit changes still exist, and that new rows fit them. It reads
  * the present state of the tables and no snapshot, so its cost does not depend on how long a
  * statement took.
  */
private[check] final class TableCheck(session: Session, sql: CommitSql) {
  import TableCheck.*

  /** Why the operations cannot change the rows of their tables; None when they can. Tables that a
    * rollback restores have other columns than at the base, and no other commit has changed them.
    */
  def check(operations: Vector[Operation], base: SnapshotId): Option[String] = {
    val restored = operations.collect { case one: Operation.RestoreTable => one.past.id }.toSet
    def tables(required: Requirement): Vector[LakeTable] =
      operations
        .filter(_.requires.contains(required))
        .flatMap(_.existing)
        .distinctBy(_.id)
        .filterNot(table => restored(table.id))
    val shaped = tables(Requirement.Shape)
    val gone = (shaped ++ tables(Requirement.Presence))
      .distinctBy(_.id)
      .find(table => session.first(sql.tableName(table.id))(_ => ()).isEmpty)
    gone
      .map(table =>
        s"it wants to change rows of ${table.qualifiedName}, which was dropped since it began"
      )
      .orElse(
        shaped
          .find(table => isReshaped(atBase(table, operations), base))
          .map { table =>
            s"it wants to change rows of ${table.qualifiedName}, whose columns or partition keys were changed " +
              "since it began"
          }
      )
  }

  /** Whether files or inlined rows that were written for the table at the base may not fit it now.
    * Other changes of a table, such as comments and sort orders, do not concern rows. Columns and
    * keys that ended and have expired leave no row, so the present columns and partition keys are
    * compared, too.
    */
  private def isReshaped(table: LakeTable, base: SnapshotId): Boolean =
    Vector(sql.countColumnChanges(table.id, base), sql.countLayoutChanges(table.id, base))
      .exists(session.first(_)(_.long(1)).exists(_ > 0)) ||
      session.query(sql.columnOrders(table.id))(_.long(1)).toSet != idsOf(table.columns).toSet ||
      session.first(sql.partitionOf(table.id))(_.long(1)) !=
      table.partition.filter(_.keys.nonEmpty).map(_.id.value)
}

private object TableCheck {

  /** The table without the commit's own changes. */
  private def atBase(table: LakeTable, operations: Vector[Operation]): LakeTable =
    operations
      .collectFirst { case Operation.AlterTable(before, _, _) if before.id == table.id => before }
      .getOrElse(table)

  private def idsOf(columns: Vector[Column]): Vector[Long] =
    columns.flatMap(column => column.id.value +: idsOf(column.children))
}
