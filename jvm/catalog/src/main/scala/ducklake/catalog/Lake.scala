package ducklake.catalog

import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.PendingCommit
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.change.plan.ExpiryPlan
import ducklake.catalog.commit.expiry.Expired
import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.ChangeBound
import ducklake.catalog.listing.OtherLake
import ducklake.catalog.listing.ScheduledFile
import ducklake.catalog.model.OldMetadata
import ducklake.catalog.model.OldMetadataScope
import ducklake.catalog.model.SnapshotInfo
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.model.SnapshotRequest
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.NamedSnapshot
import ducklake.catalog.option.RegisteredReader
import ducklake.catalog.read.snapshot.SnapshotCounts
import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.time.Instant

/** A lake, the only way to its catalog database. It is safe for many threads and holds no
  * transaction and no lock between calls. Every call throws a `LakeException` when the database is
  * not reachable, is busy, or has an unknown version.
  */
trait Lake {
  def settings: LakeSettings

  /** The newest snapshot; None when the database holds no lake yet and a lake may be created there.
    */
  def newest(): Option[LakeSnapshot]

  /** The snapshot with this id. Errors: NoSuchSnapshot. */
  def at(id: SnapshotId): LakeSnapshot

  /** The snapshot with this name; None when no snapshot has it. Errors: NoSuchSnapshot when the
    * snapshot is gone, because DuckDB's expiry knows nothing of names.
    */
  def named(name: String): Option[LakeSnapshot]

  /** The newest snapshot at or before the time. Of snapshots with the same time, the one with the
    * highest id. Errors: NoSuchSnapshot.
    */
  def atOrBefore(time: Instant): LakeSnapshot

  /** The snapshots between two bounds of a change feed. The range is empty when the first bound
    * lies after the second. Errors: NoSuchSnapshot.
    */
  def changeRange(from: ChangeBound, to: ChangeBound): Either[LakeError, SnapshotRange]

  /** The id and the time of the newest snapshot; None when there is no lake. This costs less than
    * [[newest]]: one short statement.
    */
  def newestTime(): Option[(SnapshotId, Instant)]

  /** The time of a snapshot; None when the lake does not have it. */
  def timeOf(id: SnapshotId): Option[Instant]

  /** The requested snapshots that have not expired. They are read from the catalog while the
    * iterator is used, some at a time, so a lake may have millions of them.
    */
  def listSnapshots(request: SnapshotRequest): Iterator[SnapshotInfo]

  /** All snapshots that have not expired, ordered by id, for lakes with few snapshots. */
  final def snapshots(): Vector[SnapshotInfo] = listSnapshots(SnapshotRequest()).toVector

  def countSnapshots(range: SnapshotRange): SnapshotCounts

  /** The snapshots in which the table was created, renamed, moved or brought back. */
  def beginsOf(table: TableId): Set[SnapshotId]

  /** The rows of `ducklake_metadata`. While there is no lake, the options of a new lake that matter
    * to a write.
    */
  def options(): Vector[LakeOption]

  /** Changes options, all or none of them. The values are stored unchanged, and no
    * snapshot is created. Creates or migrates the lake first when the settings say so.
    *
    * Source: DuckDB 1.5.5, observed (format 8.5).
    */
  def setOptions(changes: Vector[Operation.SetOptions]): Unit

  /** The snapshots with names, ordered by name; their snapshots may be gone. */
  final def namedSnapshots(): Vector[NamedSnapshot] = NamedSnapshot.of(options())

  /** Gives a name to a snapshot, which no expiry of ours removes then. Makes no snapshot.
    *
    * Errors: NoSuchSnapshot; InvalidArgument when another snapshot has the name.
    */
  def keep(named: NamedSnapshot): Unit

  /** Takes the name from its snapshot. Errors: InvalidArgument when no snapshot has the name. */
  def release(name: String): Unit

  /** The registered readers, ordered by name and table; their snapshots may be gone. */
  final def registeredReaders(): Vector[RegisteredReader] = RegisteredReader.of(options())

  /** Registers how far a reader has read a table. No expiry of ours removes this snapshot or a later
    * one then. Makes no snapshot, and does not wait for commits. The snapshot need not be there.
    *
    * Errors: Unsupported for a lake of a version that is not written; those of the database.
    */
  def advanceReader(name: String, table: TableId, read: SnapshotId): Unit

  /** Like [[advanceReader]], for a snapshot that must be there. Errors: NoSuchSnapshot. */
  def registerReader(name: String, table: TableId, read: SnapshotId): Unit

  /** Removes a reader of a table, or of all tables. Errors: InvalidArgument when there is none. */
  def forgetReader(name: String, table: Option[TableId]): Unit

  /** Whether the database exists and holds a lake. Never creates a lake. */
  def isThere(): Boolean

  /** The data path in use: absolute, ending in a separator, in DuckDB's spelling. While there is no
    * lake, the path that a new lake would get; empty when the settings do not name it.
    */
  def dataPath(): String

  /** The files scheduled for deletion, ordered by their stored paths. They are read from the catalog
    * while the iterator is used, some at a time, so a lake may have millions of them; those before
    * may be removed from the list meanwhile.
    *
    * @param before only files that were scheduled before; None: all files
    */
  def scheduledForDeletion(before: Option[Instant]): Iterator[ScheduledFile]

  /** The newest snapshot, as the base of a commit. When the database has no lake and one may be
    * created there, the first snapshot of the lake that the commit creates. Checks that the lake
    * can be written: its version is one that we write, or the settings say that the commit migrates
    * it.
    */
  def newestToWrite(): LakeSnapshot

  /** As [[newestToWrite]], but creates or migrates the lake at once when the settings say so. For
    * statements that change it in several steps, or without a commit.
    */
  def prepareToWrite(): LakeSnapshot

  /** Whether the catalog can keep this row so that every engine reads the same values back. */
  def canInline(columns: Vector[Column], row: Vector[Literal]): Boolean

  /** Creates the next snapshot in one transaction. Tries again when another writer committed first.
    * Creates or migrates the lake first when the settings say so.
    */
  def commit(pending: PendingCommit): CommitOutcome

  /** What would expire; None when there is no lake. Nothing is changed.
    *
    * @param readersSince readers that registered before this time keep nothing
    * @param inUse snapshots that open transactions of this process read
    */
  def planExpiry(
      criterion: ExpiryCriterion,
      readersSince: Instant = Instant.EPOCH,
      inUse: Set[SnapshotId] = Set.empty,
  ): Option[ExpiryPlan]

  /** Removes the snapshots of the plan, and the rows that no snapshot sees any more, from the
    * catalog. Files are scheduled for deletion. It works in short transactions, so that other
    * writers commit in between; steps before an error stay done.
    */
  def expire(plan: ExpiryPlan): Expired

  /** The metadata that neither a snapshot nor a file nor an inlined row needs. Nothing is changed.
    */
  def oldMetadata(scope: OldMetadataScope): OldMetadata

  /** Removes old metadata in short transactions, so that other writers commit in between; steps
    * before an error stay done. Snapshots show the same as before.
    */
  def removeOldMetadata(old: OldMetadata): Unit

  /** Removes files that were deleted from storage from the list of files scheduled for deletion. It
    * works in short transactions.
    */
  def unschedule(files: Vector[ScheduledFile]): Unit

  /** Calls the action with the full path of each data file and delete file of every snapshot, in
    * the spelling of the catalog. A path may come several times, and the paths are not collected.
    */
  def foreachFile(action: String => Unit): Unit

  /** As [[foreachFile]], with each file that is scheduled for deletion. */
  def foreachScheduled(action: String => Unit): Unit

  /** The folders of all schemas below the data path, ending in a separator; dropped schemas
    * included while a snapshot sees them.
    */
  def schemaFolders(): Vector[String]

  /** The lakes whose metadata tables are in other schemas of the same database. */
  def otherLakes(): Vector[OtherLake]

  /** Rewrites the catalog database, so that it holds no bytes of removed rows. Nothing changes for
    * readers. Errors: Unsupported for a DuckDB file; CatalogBusy while others use the database.
    */
  def vacuum(): Unit

  /** The time by the clock of the database server, or by ours when there is no server. */
  def clock(): Instant

  /** Closes idle connections and clears the caches. The next call opens them again. */
  def close(): Unit
}
