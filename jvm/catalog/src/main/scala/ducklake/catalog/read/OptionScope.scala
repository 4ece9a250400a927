package ducklake.catalog.read

import ducklake.catalog.model.SchemaId
import ducklake.catalog.model.TableId

/** What an option is stored for. */
sealed trait OptionScope

object OptionScope {
  case object Global extends OptionScope
  final case class OfSchema(id: SchemaId) extends OptionScope
  final case class OfTable(id: TableId) extends OptionScope
}
