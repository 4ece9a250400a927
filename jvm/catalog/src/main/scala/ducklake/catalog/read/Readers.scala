package ducklake.catalog.read

import ducklake.catalog.cache.SchemaCache
import ducklake.catalog.jdbc.Database
import ducklake.catalog.path.DataPaths
import ducklake.catalog.pruning.PlanMemory
import ducklake.catalog.read.feed.ChangeFeedReader
import ducklake.catalog.read.feed.TableEntriesReader
import ducklake.catalog.read.file.CountReader
import ducklake.catalog.read.file.FileListingReader
import ducklake.catalog.read.file.KeptReader
import ducklake.catalog.read.file.KnownFilesReader
import ducklake.catalog.read.file.ScheduledFilesReader
import ducklake.catalog.read.flush.FlushReader
import ducklake.catalog.read.schema.SchemaReader
import ducklake.catalog.read.schema.ShapeReader
import ducklake.catalog.read.snapshot.OtherLakesReader
import ducklake.catalog.read.snapshot.SnapshotListReader
import ducklake.catalog.read.snapshot.SnapshotReader

/** The readers of one lake. They share its connections and caches. */
final class Readers(database: Database, dataPaths: DataPaths, memory: PlanMemory) {
  private val cache = new SchemaCache

  val snapshots: SnapshotReader = new SnapshotReader(database, dataPaths)
  val snapshotList: SnapshotListReader = new SnapshotListReader(database)
  val schemas: SchemaReader = new SchemaReader(database, cache)
  val files: FileListingReader = new FileListingReader(database, snapshots, memory)
  val changes: ChangeFeedReader = new ChangeFeedReader(database, snapshots)
  val entries: TableEntriesReader = new TableEntriesReader(database, snapshots)
  val flush: FlushReader = new FlushReader(database, snapshots)
  val shapes: ShapeReader = new ShapeReader(database)
  val kept: KeptReader = new KeptReader(database, snapshots)
  val counts: CountReader = new CountReader(database, snapshots)

  val knownFiles: KnownFilesReader = new KnownFilesReader(database)
  val scheduledFiles: ScheduledFilesReader = new ScheduledFilesReader(database)
  val otherLakes: OtherLakesReader = new OtherLakesReader(database)

  /** Clears the caches of the lake. */
  def forget(): Unit = {
    cache.clear()
    files.forget()
  }
}
