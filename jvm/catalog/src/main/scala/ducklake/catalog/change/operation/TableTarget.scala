package ducklake.catalog.change.operation

import ducklake.catalog.model.LakeTable

import java.util.UUID

/** The table that new rows are appended to. */
sealed trait TableTarget {

  /** The table, when it exists before the commit. */
  def existing: Option[LakeTable]
}

object TableTarget {
  final case class Existing(table: LakeTable) extends TableTarget {
    override def existing: Option[LakeTable] = Some(table)
  }

  /** The table that the commit creates under this uuid. */
  final case class Created(uuid: UUID) extends TableTarget {
    override def existing: Option[LakeTable] = None
  }
}
