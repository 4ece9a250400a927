package ducklake.spark.moving

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
