package ducklake.spark.session

import ducklake.catalog.CompactedSince
import ducklake.catalog.LakeSettings
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.StagedSnapshot
import ducklake.catalog.change.operation.CommitInfo
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.staged.StagedLake

import java.time.Instant
import java.util.UUID

/** A transaction over several statements of one session, as it is between two statements.
  *
  * @param lake the settings of its session
  * @param base the snapshot that all its statements read
  * @param staged the changes of its statements
  * @param info what it was begun with; of the texts of its statements the last ones count
  * @param newest the newest snapshot of the lake
  */
final case class OpenTransaction(
    id: UUID,
    begun: Instant,
    lake: LakeSettings,
    base: LakeSnapshot,
    staged: StagedLake,
    info: StatementInfo,
    newest: () => Option[LakeSnapshot],
) {

  /** What the next statement sees: the base with the changes of the statements before. */
  val snapshot: LakeSnapshot =
    base.seenThrough(new StagedSnapshot(id, staged, new CompactedSince(base, newest).check))

  /** Adds the operations of a statement that has seen `seen`, with its commit info.
    *
    * Errors: as for [[StagedLake.stage]].
    */
  def stage(
      seen: LakeSnapshot,
      operations: Vector[Operation],
      own: CommitInfo,
  ): Either[LakeError, OpenTransaction] =
    staged
      .stage(operations, seen.uncommitted(_).fold(0L)(_.generation))
      .map(next => copy(staged = next).named(own))

  /** With commit info; what it leaves out stays as it was. */
  def named(texts: CommitInfo): OpenTransaction =
    copy(info = info.copy(texts = texts.orElse(info.texts)))
}
