package ducklake.spark.maintenance

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable

/** The tables that a call maintains, as they were at its begin. Other sessions may rename or drop
  * them meanwhile.
  */
sealed trait MaintainedTables {
  import MaintainedTables.*

  def listed: Vector[LakeTable]

  /** A listed table at `now`, also under another name. None when it no longer exists and the caller
    * did not name it. Errors: CommitConflict when the caller named it.
    *
    * @param action for the message, such as "merge files of"
    */
  final def current(now: LakeSnapshot, table: LakeTable, action: String): Option[LakeTable] =
    now
      .table(table.id)
      .orElse(this match {
        case AllOf(_) => None
        case Named(_) =>
          val why = s"it wants to $action ${table.qualifiedName}, which was dropped since it began"
          throw new LakeException(LakeError.CommitConflict(why))
      })
}

object MaintainedTables {

  /** The table that the caller named. */
  final case class Named(table: LakeTable) extends MaintainedTables {
    override def listed: Vector[LakeTable] = Vector(table)
  }

  /** The tables of a schema or of the lake. */
  final case class AllOf(listed: Vector[LakeTable]) extends MaintainedTables
}
