package ducklake.spark.table

import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.session.SessionLake

import java.util

import scala.jdk.CollectionConverters.MapHasAsJava

/** The properties of a table, and two more by which OpenLineage's listener asks a table for its
  * name. These two are answered but not listed, so SHOW TBLPROPERTIES does not have them.
  *
  * @param name the table's name with the schemas that lead to it
  * @param listed the properties of the table
  *
  * Source: OpenLineage's documents, "Integrating with Spark extensions".
  */
private[spark] final class LineageProperties(
    session: SessionLake,
    name: String,
    listed: Map[String, String],
) extends util.AbstractMap[String, String] {

  private val own = listed.asJava

  override def entrySet(): util.Set[util.Map.Entry[String, String]] = own.entrySet()

  override def containsKey(key: Any): Boolean =
    key == LineageProperties.Name || key == LineageProperties.Namespace || own.containsKey(key)

  override def get(key: Any): String = key match {
    case LineageProperties.Name => name
    case LineageProperties.Namespace =>
      LineageProperties.namespace(onDriver(session.lake.dataPath()))
    case _ => own.get(key)
  }
}

private object LineageProperties {

  private val Name = "openlineage.dataset.name"
  private val Namespace = "openlineage.dataset.namespace"

  /** The data path as an address. It is the same in every session and in every engine, and has no
    * password.
    */
  private def namespace(dataPath: String): String = {
    val folder = dataPath.stripSuffix("/")
    if (folder.startsWith("/")) s"file://$folder" else folder
  }
}
