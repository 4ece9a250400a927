package ducklake.catalog.staged

import java.util.UUID

/** What a snapshot shows beyond its own rows: the changes of a transaction up to a generation.
  *
  * @param generation rises with each statement of the transaction that changes something
  */
final case class Uncommitted(transaction: UUID, generation: Long)
