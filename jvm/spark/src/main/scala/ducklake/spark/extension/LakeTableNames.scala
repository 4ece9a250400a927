package ducklake.spark.extension

import ducklake.spark.session.LakeCatalog
import ducklake.spark.session.Namespaces
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.TableCatalog

import scala.util.control.NonFatal

/** Which lake and schema a table's name leads to, by the session's current catalog and schema. */
private[extension] final class LakeTableNames(session: SparkSession) {

  /** Catalog and schema; None when the name does not lead to a lake. A catalog that cannot be loaded
    * may be one: what is asked of it then says why it cannot.
    */
  def find(name: Vector[String]): Option[(String, String)] =
    session match {
      case known: classic.SparkSession =>
        val manager = known.sessionState.catalogManager
        if (name.length > 1 && isOrFails(manager.isCatalogRegistered(name.head)))
          if (isOrFails(manager.catalog(name.head).isInstanceOf[LakeCatalog]))
            schema(name.tail.dropRight(1), None).map(name.head -> _)
          else None
        else
          manager.currentCatalog match {
            case lake: LakeCatalog =>
              schema(name.dropRight(1), Some(manager.currentNamespace)).map(lake.name() -> _)
            case _ => None
          }
      case _ => None
    }

  /** Whether a bare name leads to a table that is there in the current lake. */
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

  private def isOrFails(question: => Boolean): Boolean =
    try question
    catch { case NonFatal(_) => true }

  private def schema(written: Vector[String], current: Option[Array[String]]): Option[String] =
    (written, current) match {
      case (Vector(one), _) => Some(one)
      case (Vector(), Some(Array(one))) => Some(one)
      case (Vector(), _) => Some(Namespaces.Default)
      case _ => None
    }
}
