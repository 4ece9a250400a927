package ducklake.catalog.option

import ducklake.catalog.types.SnapshotId

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

/** Names of snapshots that other formats' tables show. Expiry keeps them like all named snapshots;
  * cleanup keeps every file that was scheduled for deletion since the oldest of them, because merged
  * files are scheduled while kept snapshots still had them.
  *
  * Source: ours, decision 32.
  */
object ExportName {

  private val Start = "export."
  private val HashDigits = 12

  /** What the names of all snapshots of one exported table begin with.
    *
    * @param format `delta` or `iceberg`
    * @param folder of the exported table, in DuckDB's spelling
    */
  def prefix(format: String, folder: String): String = {
    val digest = MessageDigest.getInstance("SHA-256").digest(folder.getBytes(UTF_8))
    s"$Start$format.${digest.map(byte => f"$byte%02x").mkString.take(HashDigits)}."
  }

  def of(prefix: String, id: SnapshotId): NamedSnapshot = NamedSnapshot(s"$prefix${id.value}", id)

  /** Whether an export gave the name. */
  def isOf(name: String): Boolean = name.startsWith(Start)
}
