package ducklake.catalog

import ducklake.catalog.change.PendingCommit
import ducklake.catalog.commit.CommitOutcome
import ducklake.catalog.model.Column
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.SnapshotInfo
import ducklake.catalog.read.LakeOption
import ducklake.catalog.read.OptionScope
import ducklake.catalog.read.ScheduledFile
import ducklake.catalog.types.Literal

import java.time.Instant

/** A lake: the door to its catalog database. Safe for many threads; holds no transaction and no
  * lock between calls. Every call that finds the database gone, busy, or of an unknown version
  * throws a `LakeException`.
  */
trait Lake {
  def settings: LakeSettings

  /** The newest snapshot; None when the database holds no lake yet but one may be created. */
  def newest(): Option[LakeSnapshot]

  /** The snapshot with this id. Errors: NoSuchSnapshot. */
  def at(id: SnapshotId): LakeSnapshot

  /** The newest snapshot at or before the time; of equal times the highest id. Errors:
    * NoSuchSnapshot.
    */
  def atOrBefore(time: Instant): LakeSnapshot

  /** All snapshots that are kept, by id. */
  def snapshots(): Vector[SnapshotInfo]

  /** The rows of `ducklake_metadata`. */
  def options(): Vector[LakeOption]

  /** Stores an option as it is to be stored, or removes it; no snapshot is made.
    *
    * Source: DuckDB 1.5.5, observed (format 8.5).
    */
  def setOption(key: String, value: Option[String], scope: OptionScope): Unit

  /** Whether the database is there and holds a lake; asked also where a lake must not be made. */
  def isThere(): Boolean

  /** The data path in use: full, ending in a separator, in DuckDB's spelling. While there is no lake,
    * that of a new one; empty when the settings do not say it.
    */
  def dataPath(): String

  /** The garbage list, oldest first. */
  def scheduledForDeletion(): Vector[ScheduledFile]

  /** Makes the metadata tables and the first snapshot when the database has none and may get them;
    * checks that the lake may be written: of version 1.0, not encrypted. Gives the newest snapshot.
    */
  def prepareToWrite(): LakeSnapshot

  /** Whether rows of a table with these columns may be kept in the catalog. */
  def mayInline(columns: Vector[Column]): Boolean

  /** Whether the catalog can keep this row so that every engine reads it as it is. */
  def canInline(columns: Vector[Column], row: Vector[Literal]): Boolean

  /** Makes the next snapshot, in one transaction; tries again when others were faster. */
  def commit(pending: PendingCommit): CommitOutcome

  /** Lets go of idle connections and of what is kept in memory. The next call takes them again. */
  def close(): Unit
}
