package ducklake.catalog.read.snapshot

import ducklake.catalog.cache.LakeIdentity
import ducklake.catalog.cache.SchemaKey
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.Snapshot
import ducklake.catalog.sql.FormatVersion

import java.time.Instant

/** The newest snapshot that a transaction sees.
  *
  * @param knownTime the time of a snapshot that was read before; None when the lake no longer has
  *   that snapshot
  */
final case class TransactionHead(
    snapshot: Snapshot,
    version: FormatVersion,
    knownTime: Option[Instant],
) {

  /** Whether the lake still has the snapshot that was read before. */
  def has(known: Snapshot): Boolean = knownTime.contains(known.time)
}

/** A snapshot and the properties of the whole lake, read in the same statement.
  *
  * @param dataPath the data path in use: absolute, ending in a separator
  * @param isEncrypted whether the files of the lake are encrypted
  * @param dataPathDoubt why nothing may be written to the data path, nor deleted there
  */
final case class CatalogHead(
    snapshot: Snapshot,
    version: FormatVersion,
    dataPath: String,
    identity: LakeIdentity,
    isEncrypted: Boolean,
    dataPathDoubt: Option[LakeError] = None,
) {

  /** The key under which the schema of the lake is cached. */
  def schemaKey: SchemaKey = SchemaKey(identity, snapshot.schemaVersion)
}
