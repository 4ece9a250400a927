package ducklake.catalog.change.operation

/** What of a table must not have changed between the base and the commit. */
sealed trait Requirement

object Requirement {

  /** The table still exists. */
  case object Presence extends Requirement

  /** The table still exists, with the same columns and partition keys. */
  case object Shape extends Requirement
}
