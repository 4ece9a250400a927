package ducklake.spark

import ducklake.catalog.Lakes
import ducklake.spark.config.CatalogConfig
import ducklake.spark.config.CredentialStore
import ducklake.spark.config.HadoopSettings
import ducklake.spark.ddl.SchemaDdl
import ducklake.spark.ddl.Staging
import ducklake.spark.ddl.TableDdl
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.extension.retry.StatementRetries
import ducklake.spark.partitioning.Functions
import ducklake.spark.procedures.Procedures
import ducklake.spark.session.ApplicationEnd
import ducklake.spark.session.HeldTransaction
import ducklake.spark.session.LakeCatalog
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.sql.TimeOfDay
import ducklake.spark.table.Relations
import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.*
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

import scala.jdk.CollectionConverters.MapHasAsJava
import scala.jdk.CollectionConverters.MapHasAsScala
import scala.jdk.CollectionConverters.SetHasAsJava

/** The catalog plugin as far as all versions of Spark have it. Its methods only delegate. */
abstract class CommonCatalog
    extends StagingTableCatalog
    with SupportsNamespaces
    with ProcedureCatalog
    with FunctionCatalog
    with LakeCatalog {

  // Spark creates the plugin by its empty constructor, and calls `initialize` once before any other
  // method.
  private var registered: Option[SessionLake] = None

  protected def session: SessionLake =
    registered.getOrElse(throw new IllegalStateException("the catalog was not initialized"))

  private[spark] override def lakeOfSession: SessionLake = session

  private lazy val namespaces: Namespaces = new Namespaces(session)
  protected lazy val relations: Relations = new Relations(session)
  private lazy val procedures: Procedures = new Procedures(session)
  private lazy val schemas: SchemaDdl = new SchemaDdl(session)
  protected lazy val tables: TableDdl = new TableDdl(session)
  protected lazy val staging: Staging = new Staging(session)

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit =
    open(onDriver {
      ServedSpark.check()
      val keys = options.asCaseSensitiveMap().asScala.toMap
      def hadoop = SparkSession.active.sessionState.newHadoopConf()
      val config =
        CatalogConfig.parse(name, keys, CredentialStore.secret(hadoop, HadoopSettings.in(keys), _))
      StatementRetries.check(config)
      ApplicationEnd.onEnd { () =>
        HeldTransaction.warnOfOpen()
        Lakes.closeAll()
      }
      new SessionLake(config, TimeRule.of(TimeOfDay.isEnabled))
    })

  private[spark] override def open(lake: SessionLake): Unit = registered = Some(lake)

  override def name(): String = session.name

  /** The catalog in a statement's transaction equals the registered catalog. A DataFrame that was
    * made before the statement has relations of the registered catalog, and Spark keeps their
    * columns only if it finds the catalog of the statement's target.
    */
  override def equals(other: Any): Boolean = other match {
    case that: CommonCatalog =>
      (this eq that) ||
      registered.exists(own => that.registered.exists(_.immediate eq own.immediate))
    case _ => false
  }

  override def hashCode: Int = registered.fold(0)(lake => System.identityHashCode(lake.immediate))

  override def defaultNamespace(): Array[String] = Array(Namespaces.Default)

  override def listNamespaces(): Array[Array[String]] = onDriver(namespaces.list())

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] =
    onDriver(namespaces.list(namespace))

  override def namespaceExists(namespace: Array[String]): Boolean =
    onDriver(namespaces.exists(namespace))

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] =
    onDriver(namespaces.metadata(namespace).asJava)

  override def createNamespace(
      namespace: Array[String],
      metadata: util.Map[String, String],
  ): Unit = onDriver(schemas.create(namespace, metadata.asScala.toMap))

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit =
    onDriver(schemas.alter(namespace, changes))

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean =
    onDriver(schemas.drop(namespace, cascade))

  override def listTables(namespace: Array[String]): Array[Identifier] =
    onDriver(relations.tables(namespace))

  override def loadTable(ident: Identifier, version: String): Table =
    onDriver(relations.tableAt(ident, version))

  override def loadTable(ident: Identifier, timestamp: Long): Table =
    onDriver(relations.tableAt(ident, timestamp))

  override def loadTable(
      ident: Identifier,
      privileges: util.Set[TableWritePrivilege],
  ): Table = onDriver(relations.tableToWrite(ident))

  override def tableExists(ident: Identifier): Boolean = onDriver(relations.tableExists(ident))

  override def viewExists(ident: Identifier): Boolean = onDriver(relations.viewExists(ident))

  /** Constraints, generated columns and identity columns are declared only so that Spark passes such
    * tables on. This catalog then refuses them, with an error about DuckLake.
    */
  override def capabilities(): util.Set[TableCatalogCapability] =
    TableCatalogCapability.values().filter(c => CommonCatalog.Capabilities(c.name)).toSet.asJava

  override def alterTable(ident: Identifier, changes: TableChange*): Table =
    onDriver(tables.alter(ident, changes))

  override def dropTable(ident: Identifier): Boolean = onDriver(tables.drop(ident))

  override def purgeTable(ident: Identifier): Boolean = onDriver(tables.drop(ident))

  override def renameTable(oldIdent: Identifier, newIdent: Identifier): Unit =
    onDriver(tables.rename(oldIdent, newIdent))

  override def loadProcedure(ident: Identifier): UnboundProcedure =
    onDriver(procedures.load(ident))

  override def listProcedures(namespace: Array[String]): Array[Identifier] =
    onDriver(procedures.list(namespace))

  override def listFunctions(namespace: Array[String]): Array[Identifier] =
    Functions.list(namespace)

  override def loadFunction(ident: Identifier): UnboundFunction = Functions.load(ident)
}

private object CommonCatalog {

  /** Names, because no version of Spark has them all. */
  private val Capabilities: Set[String] = Set(
    "SUPPORT_COLUMN_DEFAULT_VALUE",
    "SUPPORT_TABLE_CONSTRAINT",
    "SUPPORTS_CREATE_TABLE_WITH_GENERATED_COLUMNS",
    "SUPPORTS_CREATE_TABLE_WITH_IDENTITY_COLUMNS",
  )
}
