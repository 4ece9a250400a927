package ducklake.catalog.change

import ducklake.catalog.types.Literal

/** A row on its way into the catalog.
  *
  * @param rowId that an updated row keeps; None: the commit gives it the next
  * @param values of the table's top-level columns, in order
  */
final case class NewInlinedRow(rowId: Option[Long], values: Vector[Literal])
