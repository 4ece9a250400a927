package ducklake.catalog.commit.check

import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.conflict.ChangeText
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.query.CommitSql
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** The changes of other commits since the base of a commit. Snapshots are read one by one, and only
  * the changes that can concern the commit are kept: there may be a snapshot for each second of a
  * long statement.
  */
private[check] final class ChangesSince(session: Session, sql: CommitSql) {

  /** The relevant changes by snapshot, in order; Left: why they are unknown.
    *
    * @param head the newest snapshot
    */
  def read(
      base: SnapshotId,
      head: SnapshotId,
      isRelevant: Change => Boolean,
  ): Either[String, Vector[(Long, Vector[Change])]] = {
    var count = 0L
    var unknown = Option.empty[String]
    val found = Vector.newBuilder[(Long, Vector[Change])]
    session.foreach(sql.changesAfter(base)) { row =>
      row.textOption(2).foreach { text =>
        count += 1
        ChangeText.parse(text) match {
          case Right(all) =>
            val changes = all.filter(isRelevant)
            if (changes.nonEmpty || all.isEmpty) found += row.long(1) -> changes
          case Left(_) =>
            unknown = unknown.orElse(
              Some(
                s"snapshot ${row.long(1)} made changes that this version does not know: $text"
              )
            )
        }
      }
    }
    if (count != head.value - base.value) Left(ChangesSince.Expired)
    else unknown.toLeft(found.result())
  }
}

private[check] object ChangesSince {
  private val Expired =
    "snapshots that were made since it began have expired, and nobody knows what they did"

  /** Whether a change can concern a commit.
    *
    * @param touched the existing tables of the operations
    * @param ours the changes of the commit
    */
  def relevantTo(
      operations: Vector[Operation],
      touched: Set[TableId],
      ours: Vector[Change],
  ): Change => Boolean = {
    val ids = touched.map(_.value) ++ ours.map(_.subject).collect {
      case ChangeSubject.Numbered(id) => id
    }
    val isOfNames = ours.exists(change =>
      change.kind == ChangeKind.DroppedSchema || change.subject.isInstanceOf[ChangeSubject.Named]
    )
    val isOfLake = operations.contains(Operation.AssertLakeUnchanged)
    change =>
      isOfLake || (change.subject match {
        case ChangeSubject.Numbered(id) =>
          ids(id) || isOfNames && change.kind == ChangeKind.DroppedSchema
        case ChangeSubject.Named(_) => isOfNames
      })
  }
}
