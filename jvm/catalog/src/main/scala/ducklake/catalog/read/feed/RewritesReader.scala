package ducklake.catalog.read.feed

import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.conflict.ChangeText
import ducklake.catalog.change.plan.UndoScope
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.sql.query.ChangeFeedSql
import ducklake.catalog.types.SnapshotId

/** Finds the snapshots that only moved rows of a table to other files. */
private[feed] final class RewritesReader(session: Session, sql: ChangeFeedSql, table: LakeTable) {
  private val subject = ChangeSubject.Numbered(table.id.value)

  def read(range: SnapshotRange): Set[SnapshotId] =
    session
      .query(sql.rewrites(range))(row => SnapshotId(row.long(1)) -> row.text(2))
      .filter { case (_, text) => onlyRewrites(parsed(text)) }
      .map(_._1)
      .toSet

  private def parsed(text: String): Vector[Change] =
    ChangeText.parse(text).fold(error => throw new LakeException(error), identity)

  private def onlyRewrites(changes: Vector[Change]): Boolean = {
    val own = changes.filter(_.subject == subject)
    own.exists(_.kind == ChangeKind.RewriteDelete) && !own.exists(UndoScope.isChange(_, own))
  }
}
