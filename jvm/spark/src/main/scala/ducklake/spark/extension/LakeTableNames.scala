package ducklake.spark.extension

import ducklake.spark.session.LakeCatalog
import ducklake.spark.session.Namespaces
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.internal.SQLConf

import scala.util.control.NonFatal

/** Finds the lake and the schema of a table name, by the session's current catalog and schema. */
private[spark] final class LakeTableNames(session: SparkSession) {
  import LakeTableNames.*

  /** The catalog and the schema of a table name; None when the name does not belong to a lake. */
  def find(name: Vector[String]): Option[(String, Vector[String])] =
    catalogOf(name).collect {
      case (Catalog.Named, _: LakeCatalog) =>
        name.head -> schema(name.tail.dropRight(1), Array.empty)
      case (Catalog.Current(namespace), lake: LakeCatalog) =>
        lake.name() -> schema(name.dropRight(1), namespace)
    }

  /** Like [[find]], for statements that may be about a table elsewhere: None for a temporary view,
    * and for a path behind the name of a format, such as `delta`, unless the current lake has such a
    * schema.
    */
  def meant(name: Vector[String]): Option[(String, Vector[String])] =
    for {
      found <- find(name) if isInLake(name)
      (lake, ident) <- identified(name)
      if name.sizeIs == 1 || !name.last.contains('/') || isCatalog(name.head) ||
        lake.namespaceExists(ident.namespace)
    } yield found

  /** The lake and the identifier of a table; None when no lake has the table. */
  def located(name: Vector[String]): Option[(LakeCatalog, Identifier)] =
    identified(name).filter { case (lake, ident) => lake.tableExists(ident) }

  /** The lake and the identifier of a view; None when the name is that of a temporary view, or when
    * no lake has the view.
    */
  def locatedView(name: Vector[String]): Option[(LakeCatalog, Identifier)] = {
    val full = inFull(name)
    for {
      known <- classicSession
      if !known.sessionState.catalog.isTempView(full)
      (lake, ident) <- identified(full)
      if lake.viewExists(ident)
    } yield (lake, ident)
  }

  /** The name as Spark reads it in the text of a view that it resolves: with the catalog and the
    * schema in which the view was made, whatever the session's are. Elsewhere the name itself, and
    * also when the view means a temporary view by it.
    */
  def inFull(name: Vector[String]): Vector[String] = {
    val view = AnalysisContext.get
    val ofView = view.catalogAndNamespace.toVector
    val resolver = SQLConf.get.resolver
    def isTemporary = view.referredTempViewNames.exists(_.corresponds(name)(resolver))
    if (ofView.isEmpty || isTemporary || name.sizeIs > 1 && isCatalog(name.head)) name
    else if (name.sizeIs == 1) ofView ++ name
    else ofView.head +: name
  }

  /** Whether the name belongs to a lake, and is not that of a temporary view. */
  def isInLake(name: Vector[String]): Boolean =
    find(name).isDefined &&
      !classicSession.exists(_.sessionState.catalog.isTempView(name))

  /** The lake and the identifier by a name; None when the name does not belong to a lake. */
  private def identified(name: Vector[String]): Option[(LakeCatalog, Identifier)] =
    for {
      known <- classicSession
      (catalog, schema) <- find(name)
      lake <- Some(known.sessionState.catalogManager.catalog(catalog)).collect {
        case lake: LakeCatalog => lake
      }
    } yield (lake, Identifier.of(schema.toArray, name.last))

  /** The name of the current catalog; None when it is not a lake. */
  def currentLake: Option[String] =
    classicSession.flatMap(current).collect { case (_, lake: LakeCatalog) => lake.name() }

  /** Whether the session has a catalog of this name, which need not be a lake. */
  def isCatalog(name: String): Boolean = named(name) match {
    case Registered.Absent => false
    case Registered.Broken | Registered.Loaded(_) => true
  }

  /** Whether a name without schema is the name of an existing table in the current schema of the
    * current lake.
    */
  def isThere(name: String): Boolean =
    classicSession.filterNot(_.sessionState.catalog.isTempView(Seq(name))).exists { known =>
      current(known) match {
        case Some((Catalog.Current(namespace), lake: LakeCatalog)) =>
          lake.tableExists(Identifier.of(namespace, name))
        case _ => false
      }
    }

  /** Whether the name is the name of a view of a lake. */
  def isView(name: Vector[String]): Boolean = locatedView(name).isDefined

  /** The catalog in which Spark looks up a name; None when it cannot be loaded. */
  private def catalogOf(name: Vector[String]): Option[(Catalog, CatalogPlugin)] =
    classicSession.flatMap { known =>
      val first = if (name.length > 1) named(name.head) else Registered.Absent
      first match {
        case Registered.Loaded(plugin) => Some(Catalog.Named -> plugin)
        case Registered.Broken => None
        case Registered.Absent => current(known)
      }
    }

  private def named(name: String): Registered =
    classicSession.fold[Registered](Registered.Absent) { known =>
      val manager = known.sessionState.catalogManager
      loaded(name) {
        if (manager.isCatalogRegistered(name)) Registered.Loaded(manager.catalog(name))
        else Registered.Absent
      }.getOrElse(Registered.Broken)
    }

  private def current(known: classic.SparkSession): Option[(Catalog.Current, CatalogPlugin)] = {
    val manager = known.sessionState.catalogManager
    loaded(session.conf.get("spark.sql.defaultCatalog", "")) {
      Catalog.Current(manager.currentNamespace) -> manager.currentCatalog
    }
  }

  /** The result of `load`; None when a catalog that is not a lake cannot be loaded. Spark then
    * reports the reason in its own words when it runs the statement. A lake's own error is thrown.
    */
  private def loaded[A](name: String)(load: => A): Option[A] =
    try Some(load)
    catch { case NonFatal(_) if !isLakeBySettings(name) => None }

  private def isLakeBySettings(name: String): Boolean =
    session.conf.getOption(s"spark.sql.catalog.$name").contains(LakeTableNames.LakeClass)

  private def classicSession: Option[classic.SparkSession] =
    Some(session).collect { case known: classic.SparkSession => known }

  /** The names that lead to the schema. */
  private def schema(written: Vector[String], current: Array[String]): Vector[String] =
    Namespaces.pathOf(if (written.isEmpty) current else written.toArray)
}

private[spark] object LakeTableNames {

  /** The class that settings name for a lake. */
  val LakeClass: String = "ducklake.spark.DuckLakeCatalog"

  /** The way from a name to its catalog. */
  private sealed trait Catalog

  private object Catalog {

    /** Its first part names the catalog. */
    case object Named extends Catalog

    final case class Current(namespace: Array[String]) extends Catalog
  }

  /** The state of a catalog name in the session. */
  private sealed trait Registered

  private object Registered {
    case object Absent extends Registered

    /** A catalog that cannot be loaded, and that is not a lake. */
    case object Broken extends Registered
    final case class Loaded(plugin: CatalogPlugin) extends Registered
  }
}
