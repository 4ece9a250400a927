package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.connector.catalog.TableChange.UpdateColumnDefaultValue

/** The default that ALTER TABLE sets. */
private[spark] object ColumnDefaults {

  /** Its SQL text; None when the default is dropped. */
  def sqlOf(change: UpdateColumnDefaultValue): Option[String] =
    Option(change.newCurrentDefault).flatMap(d => Option(d.getSql)).filter(_.nonEmpty)
}
