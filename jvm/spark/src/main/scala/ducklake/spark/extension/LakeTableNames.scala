package ducklake.spark.extension

import ducklake.spark.session.LakeCatalog
import ducklake.spark.session.Namespaces
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.ViewCatalog

import scala.util.control.NonFatal

/** Finds the lake and the schema of a table name, by the session's current catalog and schema. */
private[extension] final class LakeTableNames(session: SparkSession) {

  /** The catalog and the schema of a table name; None when the name does not belong to a lake. A
    * catalog that cannot be loaded counts as a lake, because the next call to it fails with the
    * reason.
    */
  def find(name: Vector[String]): Option[(String, Vector[String])] =
    session match {
      case known: classic.SparkSession =>
        val manager = known.sessionState.catalogManager
        if (name.length > 1 && isTrueOrFails(manager.isCatalogRegistered(name.head)))
          if (isTrueOrFails(manager.catalog(name.head).isInstanceOf[LakeCatalog]))
            Some(name.head -> schema(name.tail.dropRight(1), Array.empty))
          else None
        else
          manager.currentCatalog match {
            case lake: LakeCatalog =>
              Some(lake.name() -> schema(name.dropRight(1), manager.currentNamespace))
            case _ => None
          }
      case _ => None
    }

  /** Whether a name without schema is the name of an existing table in the current schema of the
    * current lake.
    */
  def isThere(name: String): Boolean =
    session match {
      case known: classic.SparkSession if !known.sessionState.catalog.isTempView(Seq(name)) =>
        val manager = known.sessionState.catalogManager
        manager.currentCatalog match {
          case lake: LakeCatalog with TableCatalog =>
            lake.tableExists(Identifier.of(manager.currentNamespace, name))
          case _ => false
        }
      case _ => false
    }

  /** Whether the name is that of a view of a lake. */
  def isView(name: Vector[String]): Boolean =
    session match {
      case known: classic.SparkSession if !known.sessionState.catalog.isTempView(name) =>
        find(name).exists { case (catalog, schema) =>
          known.sessionState.catalogManager.catalog(catalog) match {
            case lake: LakeCatalog with ViewCatalog =>
              lake.viewExists(Identifier.of(schema.toArray, name.last))
            case _ => false
          }
        }
      case _ => false
    }

  private def isTrueOrFails(condition: => Boolean): Boolean =
    try condition
    catch { case NonFatal(_) => true }

  /** The names that lead to the schema. */
  private def schema(written: Vector[String], current: Array[String]): Vector[String] =
    Namespaces.pathOf(if (written.isEmpty) current else written.toArray)
}
