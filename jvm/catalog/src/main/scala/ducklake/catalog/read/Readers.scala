package ducklake.catalog.read

import ducklake.catalog.cache.SchemaCache
import ducklake.catalog.jdbc.Database

/** The readers of one lake, which share its connections and caches. */
final class Readers(database: Database, dataPaths: DataPaths) {
  val snapshots: SnapshotReader = new SnapshotReader(database, dataPaths)
  val schemas: SchemaReader = new SchemaReader(database, new SchemaCache)
  val files: FileReader = new FileReader(database, snapshots)
  val flush: FlushReader = new FlushReader(database)
  val counts: CountReader = new CountReader(database, snapshots)
}
