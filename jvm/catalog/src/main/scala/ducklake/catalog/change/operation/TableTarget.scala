package ducklake.catalog.change.operation

import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.UncommittedIds

import java.util.UUID

/** The table that new rows are appended to. */
sealed trait TableTarget {

  /** The table, when it exists before the commit. */
  def existing: Option[LakeTable]
}

object TableTarget {

  /** The target of rows of a table, which the transaction may have made itself. */
  def of(table: LakeTable): TableTarget =
    if (UncommittedIds.contains(table.id.value)) Created(table.uuid) else Existing(table)

  final case class Existing(table: LakeTable) extends TableTarget {
    override def existing: Option[LakeTable] = Some(table)
  }

  /** The table that the commit creates under this uuid. */
  final case class Created(uuid: UUID) extends TableTarget {
    override def existing: Option[LakeTable] = None
  }
}
