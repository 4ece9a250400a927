package ducklake.spark.maintenance.rollback

/** The names of the procedures, for messages too. */
object RollbackProcedures {
  val ToSnapshot: String = "rollback_to_snapshot"
  val Undo: String = "undo_commit"
}
