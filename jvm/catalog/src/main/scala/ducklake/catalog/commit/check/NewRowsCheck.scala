package ducklake.catalog.commit.check

import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowScope
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeTable
import ducklake.catalog.predicate.ProvenValue
import ducklake.catalog.read.file.StatisticsDecoder
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.query.CommitSql
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Checks for rows that were added since the base and invalidate what a statement found there. */
private[check] final class NewRowsCheck(session: Session, sql: CommitSql, inlinedSql: InlinedSql) {

  /** Why the table cannot get a bucket key: rows were added. A bucket key is legal only for a table
    * without rows, and the table had no rows at the base.
    */
  def ofHash(table: LakeTable, base: SnapshotId): Option[String] = {
    val inlined = inlinedTables(table.id).map(inlinedSql.countLive)
    Option.when((sql.countFilesSince(table.id, base) +: inlined).exists(isSome))(
      s"it wants to partition ${table.qualifiedName} by a hash, and rows were added since it began"
    )
  }

  /** Why columns cannot become NOT NULL: rows added since the base may have NULL there. For files
    * this is decided by their null counts. An added inlined row always counts, because its values
    * are not read.
    */
  def ofNotNull(alter: Operation.AlterTable, base: SnapshotId): Option[String] = {
    val table = alter.table
    val inlined = inlinedTables(table.id).map(inlinedSql.countLiveSince(_, base))
    NewRowsCheck
      .tightened(table, alter.definition)
      .find { column =>
        (sql.countFilesWithNull(table.id, column.id, base) +: inlined).exists(isSome)
      }
      .map { column =>
        s"it wants to set NOT NULL on column `${column.name}` of ${table.qualifiedName}, and rows " +
          "were added since it began that may have NULL there"
      }
  }

  /** Why a commit that depends on the rows at the base cannot be made.
    *
    * @param since the changes of other commits since the base
    */
  def ofNewRows(
      guard: Operation.AssertNoNewRows,
      base: SnapshotId,
      since: Vector[Change],
  ): Option[String] = {
    val id = guard.table.id
    def did(kind: ChangeKind) = since.contains(Change(kind, ChangeSubject.Numbered(id.value)))
    val isClash = did(ChangeKind.InlinedInsert) || did(ChangeKind.InsertedInto) &&
      (guard.scope match {
        case RowScope.Every => true
        case RowScope.Partitions(layout, values) => hasFilesOf(guard.table, base, layout, values)
      })
    Option.when(isClash)(
      s"it depends on the rows that ${guard.table.qualifiedName} had when it began, and another " +
        "commit added rows since"
    )
  }

  /** Whether rows may have been added, or deleted, after the snapshot that the guard names. */
  def areUnseen(guard: Operation.AssertRowsSeen): Boolean = {
    val (table, at) = (guard.table.id, guard.at.id)
    val inlined = inlinedTables(table)
    val added = sql.countFilesSince(table, at) +: inlined.map(inlinedSql.countLiveSince(_, at))
    lazy val deleted =
      sql.countDeletesSince(table, guard.at) ++ inlined.map(inlinedSql.countEndedSince(_, at)) ++
        Option(InlinedSql.deletesTable(table))
          .filter(session.hasTable)
          .map(sql.countDeletesAfter(_, at))
    added.exists(isSome) || guard.alsoDeleted && deleted.exists(isSome)
  }

  /** Why rows cannot replace all rows of the table: they have changed since the base.
    *
    * @param since the changes of other commits since the base
    */
  def ofChanges(table: LakeTable, since: Vector[Change]): Option[String] =
    Option.when(
      NewRowsCheck.ofRows.exists { kind =>
        since.contains(Change(kind, ChangeSubject.Numbered(table.id.value)))
      }
    )(
      s"it replaces all rows of ${table.qualifiedName}, and another commit added, changed or deleted " +
        "rows since it began"
    )

  /** Whether an added file may have rows of these partitions: either a key of the file has no
    * proven value, or its key values are the values of one of the partitions.
    */
  private def hasFilesOf(
      table: LakeTable,
      base: SnapshotId,
      layout: PartitionId,
      values: Set[Vector[Option[String]]],
  ): Boolean = {
    val types = LeafColumns.of(table.columns)
    val decoder = new StatisticsDecoder(types)
    table.partition.filter(_.id == layout).forall { spec =>
      session
        .query(sql.statisticsSince(table.id, spec.keys.map(_.column), base)) { row =>
          (row.long(1), row.longOption(2).flatMap(_ => decoder.decode(row)))
        }
        .groupMap(_._1)(_._2)
        .values
        .exists { known =>
          val statistics = known.flatten.map { case (_, column, found) => column -> found }.toMap
          ProvenValue.ofKeys(spec.keys, types.get, statistics.get, Map.empty).forall(values)
        }
    }
  }

  private def inlinedTables(table: TableId): Vector[String] =
    session.query(sql.inlinedTables(table))(_.text(1))

  private def isSome(count: Sql): Boolean = session.first(count)(_.long(1)).exists(_ > 0)
}

private object NewRowsCheck {

  private val ofRows: Vector[ChangeKind] = Vector(
    ChangeKind.InsertedInto,
    ChangeKind.InlinedInsert,
    ChangeKind.DeletedFrom,
    ChangeKind.InlinedDelete,
  )

  /** Columns that allowed NULL and become NOT NULL. */
  private def tightened(table: LakeTable, definition: TableDefinition): Vector[Column] = {
    val before = table.columns.map(column => column.id -> column).toMap
    definition.columns.filter(column =>
      !column.nullsAllowed && before.get(column.id).exists(_.nullsAllowed)
    )
  }
}
