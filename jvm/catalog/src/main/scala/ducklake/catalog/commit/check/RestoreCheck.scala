package ducklake.catalog.commit.check

import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TablePart
import ducklake.catalog.change.plan.UndoScope
import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.write.RestoreSql
import ducklake.catalog.types.SnapshotId

/** Checks that the snapshots and tables of a rollback are as they were when it was planned. */
private[check] final class RestoreCheck(session: Session, dialect: Dialect) {
  private val sql = new RestoreSql(dialect)

  /** Why rows of the past snapshots cannot come back; None when all these snapshots still exist. */
  def ofSnapshots(past: Vector[SnapshotId]): Option[String] = {
    val gone = past.filterNot { id =>
      session.first(sql.countSnapshots(id))(_.long(1)).contains(1L)
    }
    gone.headOption.map { id =>
      s"it wants to bring back what snapshot ${id.value} had, and that snapshot has expired since it began"
    }
  }

  /** Why the files cannot come back; None when they can. */
  def ofSources(restore: Operation.RestoreFiles): Option[String] = {
    val questions = restore.copies
      .map(_.source)
      .grouped(RestoreCheck.FilesPerQuestion)
      .map(sql.countCopyable(restore.table.id, _))
    val found = questions.map(session.first(_)(_.long(1)).getOrElse(0L)).sum
    Option.when(found != restore.copies.size.toLong)(
      s"it wants to bring back files of ${restore.table.qualifiedName} that were removed from " +
        "the catalog since it began"
    )
  }

  /** Why a rollback, or the replacement of a table, was planned with another state of the table;
    * None when this part of the table is unchanged.
    *
    * @param since the changes of the commits since the base
    */
  def ofChanges(guard: Operation.AssertUnchanged, since: Vector[Change]): Option[String] = {
    val id = ChangeSubject.Numbered(guard.table.id.value)
    val name = guard.table.qualifiedName
    val ofTable = since.filter(_.subject == id).map(_.kind)
    guard.part match {
      case TablePart.Files =>
        Option.when(ofTable.nonEmpty)(
          s"it depends on the files of $name, which another commit changed since it began"
        )
      case TablePart.Content =>
        Option.when(ofTable.exists(!RestoreCheck.keepsContent(_)))(
          s"it wants to replace $name by rows that it read there, and another commit changed the " +
            "table since it began"
        )
    }
  }

  /** Why the lake is not in the state that the rollback replaces; None after compactions only. A
    * snapshot without an entry may have changed something too: the format has no entry for
    * properties of schemas.
    *
    * @param since the changes of each commit since the base
    */
  def ofLake(since: Vector[(Long, Vector[Change])]): Option[String] =
    since
      .find { case (_, changes) =>
        changes.isEmpty || changes.exists(UndoScope.isChange(_, changes))
      }
      .map { case (snapshot, _) =>
        s"it wants to bring back the whole lake, and snapshot $snapshot, made since it began, " +
          "changed it or may have changed it"
      }
}

private object RestoreCheck {
  private val FilesPerQuestion = 5000

  private val keepsContent: Set[ChangeKind] = Set(
    ChangeKind.MergeAdjacent,
    ChangeKind.RewriteDelete,
    ChangeKind.Compacted,
    ChangeKind.Flush,
    ChangeKind.OldFlush,
  )
}
