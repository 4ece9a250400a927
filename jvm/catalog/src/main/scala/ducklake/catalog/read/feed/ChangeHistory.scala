package ducklake.catalog.read.feed

import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.conflict.ChangeText
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.DeleteFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.sql.query.ChangeFeedSql
import ducklake.catalog.types.SnapshotId

import java.time.Instant

import scala.annotation.tailrec

/** The snapshots of a range of changes.
  *
  * @param snapshots every snapshot of the range, in order
  * @param nextFileIdBefore the next file id of the last snapshot before the range; 0 when there is
  *   none
  */
private[feed] final case class ChangeHistory(
    range: SnapshotRange,
    snapshots: Vector[RangeSnapshot],
    nextFileIdBefore: Long,
) {

  /** The snapshots that may have put deletes into a delete file: from its begin snapshot to the
    * snapshot that wrote the file. The last one is the snapshot before the range for an older file,
    * and the end of the range for a younger file.
    */
  def deletesIn(file: DeleteFile): SnapshotRange = {
    val last =
      if (file.id.value < nextFileIdBefore) range.first.value - 1
      else {
        val writer = snapshots.lift(firstAbove(file.id.value, 0, snapshots.size))
        writer.fold(range.last.value)(_.id.value)
      }
    SnapshotRange(file.begin, SnapshotId(last.max(file.begin.value)))
  }

  /** The index of the first snapshot whose next file id is above `file`; `high` when none is. */
  @tailrec
  private def firstAbove(file: Long, low: Int, high: Int): Int =
    if (low >= high) low
    else {
      val middle = (low + high) / 2
      if (snapshots(middle).nextFileId > file) firstAbove(file, low, middle)
      else firstAbove(file, middle + 1, high)
    }
}

private[feed] final case class RangeSnapshot(id: SnapshotId, time: Instant, nextFileId: Long)

/** Reads the snapshots of a range, and checks that the catalog still knows all their changes. */
private[feed] final class ChangeHistoryReader(
    session: Session,
    sql: ChangeFeedSql,
    table: LakeTable,
) {

  /** Errors: ChangesExpired. */
  def read(range: SnapshotRange): ChangeHistory = {
    val snapshots = session.query(sql.snapshots(range)) { row =>
      RangeSnapshot(SnapshotId(row.long(1)), row.instant(2), row.long(3))
    }
    val before = session.first(sql.lastBefore(range.first)) { row =>
      (SnapshotId(row.long(1)), row.long(2))
    }
    val known = snapshots.map(_.id.value).toSet ++ before.map(_._1.value)
    val missing = (range.last.value to (range.first.value - 1).max(0L) by -1L).find(!known(_))
    missing.foreach(id => requireNoLoss(range, SnapshotId(id)))
    ChangeHistory(range, snapshots, before.fold(0L)(_._2))
  }

  /** A file that only expired snapshots could see is no longer in the catalog. It began at an
    * expired snapshot or before, and ended at the next kept snapshot at the latest. So nothing is
    * lost when the expired snapshots are before the range and the first snapshot after them ended
    * no file.
    */
  private def requireNoLoss(range: SnapshotRange, expired: SnapshotId): Unit = {
    val next = SnapshotId(expired.value + 1)
    val mayHaveEnded = endsFiles(next)
    if (range.contains(expired) || mayHaveEnded) {
      val first = if (mayHaveEnded) next.value + 1 else next.value
      throw new LakeException(
        LakeError.ChangesExpired(
          table.qualifiedName,
          range.first.value,
          range.last.value,
          expired.value,
          first,
        )
      )
    }
  }

  /** Whether the snapshot may have ended data files or delete files of the table. */
  private def endsFiles(id: SnapshotId): Boolean =
    session.first(sql.changesMade(id))(_.textOption(1)).flatten match {
      case None => true
      case Some(text) =>
        val changes = ChangeText.parse(text).fold(e => throw new LakeException(e), identity)
        changes.exists { change =>
          change.subject == ChangeSubject.Numbered(table.id.value) &&
          ChangeHistoryReader.endingFiles(change.kind)
        }
    }
}

private object ChangeHistoryReader {
  private val endingFiles: Set[ChangeKind] =
    Set(
      ChangeKind.DeletedFrom,
      ChangeKind.RewriteDelete,
      ChangeKind.Compacted,
      ChangeKind.DroppedTable,
    )
}
