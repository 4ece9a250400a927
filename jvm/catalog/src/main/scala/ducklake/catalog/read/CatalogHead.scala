package ducklake.catalog.read

import ducklake.catalog.cache.LakeIdentity
import ducklake.catalog.cache.SchemaKey
import ducklake.catalog.model.Snapshot
import ducklake.catalog.sql.FormatVersion

import java.time.Instant

/** The newest snapshot as a transaction sees it.
  *
  * @param knownTime when the snapshot was made that was asked about; None when it is not there any more
  */
final case class TransactionHead(
    snapshot: Snapshot,
    version: FormatVersion,
    knownTime: Option[Instant],
) {

  /** Whether the lake that the transaction sees has a snapshot that was read before. */
  def has(known: Snapshot): Boolean = knownTime.contains(known.time)
}

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
  def schemaKey: SchemaKey = SchemaKey(identity, snapshot.schemaVersion)
}
