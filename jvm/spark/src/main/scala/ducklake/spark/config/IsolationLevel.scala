package ducklake.spark.config

/** The rows of other commits with which a statement that deletes or updates rows conflicts. Under
  * both levels it conflicts with changes of the rows that it changes itself.
  */
sealed trait IsolationLevel

object IsolationLevel {

  /** No other rows. */
  case object Snapshot extends IsolationLevel

  /** Also new rows that may match its condition; for a MERGE also deletes of rows that it has read.
    */
  case object Serializable extends IsolationLevel

  /** @param checked a value that the rule of the option has accepted */
  def of(checked: String): IsolationLevel =
    if (checked == "serializable") Serializable else Snapshot

  def name(level: IsolationLevel): String = level match {
    case Snapshot => "snapshot"
    case Serializable => "serializable"
  }
}
