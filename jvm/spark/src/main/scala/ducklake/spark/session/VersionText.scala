package ducklake.spark.session

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.types.SnapshotId

/** The snapshot that the version of a clause or option names, by its id or by a name. */
object VersionText {

  /** None for a text that is neither an id nor the name of a snapshot. Errors: NoSuchSnapshot. */
  def snapshot(lake: Lake, text: String): Option[LakeSnapshot] =
    text.trim.toLongOption match {
      case Some(id) => Some(lake.at(SnapshotId(id)))
      case None => lake.named(text)
    }

  /** Why a text names no snapshot, for messages. */
  def unknown(text: String): String = s"is neither a snapshot's id nor its name: $text"
}
