package ducklake.catalog.read

import ducklake.catalog.cache.LakeIdentity
import ducklake.catalog.cache.ShapeKey
import ducklake.catalog.model.Snapshot
import ducklake.catalog.sql.FormatVersion

/** A snapshot together with what holds for the whole lake, read in the same statement.
  *
  * @param dataPath as in force, ending in a separator
  */
final case class CatalogHead(
    snapshot: Snapshot,
    version: FormatVersion,
    dataPath: String,
    identity: LakeIdentity,
) {

  /** What the shape of the lake depends on. */
  def shape: ShapeKey = ShapeKey(identity, snapshot.schemaVersion)
}
