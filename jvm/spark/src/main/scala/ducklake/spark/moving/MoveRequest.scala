package ducklake.spark.moving

import ducklake.catalog.LakeSnapshot
import org.apache.spark.sql.connector.catalog.Identifier

/** A call that moves a table.
  *
  * @param source as the format names it: a metadata file of Iceberg, a folder, or a name in a catalog
  *   of the session
  * @param target the table of the lake
  */
final case class MoveRequest(
    base: LakeSnapshot,
    source: String,
    target: Identifier,
    versions: MovedVersions,
    mode: MoveMode,
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
