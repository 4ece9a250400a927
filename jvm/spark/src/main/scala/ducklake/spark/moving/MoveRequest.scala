package ducklake.spark.moving

import ducklake.catalog.LakeSnapshot
import org.apache.spark.sql.connector.catalog.Identifier

/** A call that moves a table.
  *
  * @param source as the format names it: a metadata file of Iceberg, a folder, or a name in a catalog
  *   of the session
  * @param target the table of the lake
  * @param shared what becomes of files that may belong to another table
  */
final case class MoveRequest(
    base: LakeSnapshot,
    source: String,
    target: Identifier,
    versions: MovedVersions,
    mode: MoveMode,
    shared: SharedFiles = SharedFiles.Refused,
) {

  /** The name of the target, for messages. */
  def name: String = (target.namespace.toVector :+ target.name).mkString(".")
}

/** Which versions of a source a move brings. */
sealed trait MovedVersions

object MovedVersions {

  /** The current one. */
  case object Current extends MovedVersions

  /** All that can still be read, each as a snapshot. */
  case object All extends MovedVersions
}

/** What a move is asked to do. */
sealed trait MoveMode

object MoveMode {

  /** To say what it would do. */
  case object DryRun extends MoveMode

  /** To move. */
  case object Move extends MoveMode

  /** To move when both readers read the same rows. */
  case object CheckedMove extends MoveMode
}

/** What becomes of definitions that lakes do not have, and that the present rows do not need: checks,
  * generated columns and their like.
  */
private[spark] sealed trait LostDefinitions

private[spark] object LostDefinitions {

  /** They stand in the way of the move. */
  case object Refused extends LostDefinitions

  /** They are left behind. */
  case object Dropped extends LostDefinitions
}

/** What a caller has agreed to. */
private[moving] final case class MoveConsent(definitions: LostDefinitions, shared: SharedFiles)

/** What becomes of a source whose files may belong to another table, too. The upkeep of the lake
  * would delete rows of that table.
  */
private[spark] sealed trait SharedFiles {

  /** What stands in the way: parts of a sentence. */
  private[moving] def refused(reasons: Vector[String]): Vector[String] = this match {
    case SharedFiles.Refused =>
      reasons.map(why => s"$why; call with allow_shared_files => true when no other table has them")
    case SharedFiles.Taken => Vector.empty
  }
}

private[spark] object SharedFiles {

  /** It is not moved. */
  case object Refused extends SharedFiles

  /** The caller says that no other table has the files, or that nobody needs that table. */
  case object Taken extends SharedFiles
}
