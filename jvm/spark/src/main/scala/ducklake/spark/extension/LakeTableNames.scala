package ducklake.spark.extension

import ducklake.spark.DuckLakeCatalog
import ducklake.spark.table.Namespaces
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic

/** Which lake and schema a table's name leads to, by the session's current catalog and schema. */
private[extension] final class LakeTableNames(session: SparkSession) {

  /** Catalog and schema; None when the name does not lead to a lake. */
  def find(name: Vector[String]): Option[(String, String)] =
    session match {
      case known: classic.SparkSession =>
        val manager = known.sessionState.catalogManager
        val (plugin, rest) =
          if (name.length > 1 && manager.isCatalogRegistered(name.head))
            (manager.catalog(name.head), name.tail)
          else (manager.currentCatalog, name)
        plugin match {
          case lake: DuckLakeCatalog =>
            val isCurrent = rest.length == name.length
            schema(rest.dropRight(1), Option.when(isCurrent)(manager.currentNamespace))
              .map(lake.name() -> _)
          case _ => None
        }
      case _ => None
    }

  private def schema(written: Vector[String], current: Option[Array[String]]): Option[String] =
    (written, current) match {
      case (Vector(one), _) => Some(one)
      case (Vector(), Some(Array(one))) => Some(one)
      case (Vector(), _) => Some(Namespaces.Default)
      case _ => None
    }
}
