package ducklake.spark.moving

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
