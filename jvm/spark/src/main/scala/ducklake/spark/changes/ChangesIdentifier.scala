package ducklake.spark.changes

import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The name under which the catalog finds the changes of a table, with the columns and rows of
  * Delta's change data feed.
  *
  * @param options the bounds of the feed
  */
final case class ChangesIdentifier(table: Identifier, options: CaseInsensitiveStringMap)
    extends Identifier {
  override def namespace(): Array[String] = table.namespace()
  override def name(): String = table.name()
}
