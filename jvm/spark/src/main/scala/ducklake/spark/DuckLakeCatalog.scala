package ducklake.spark

import ducklake.catalog.Lakes
import ducklake.spark.changes.ChangeFeedScan
import ducklake.spark.config.CatalogConfig
import ducklake.spark.config.CredentialStore
import ducklake.spark.config.HadoopSettings
import ducklake.spark.ddl.SchemaDdl
import ducklake.spark.ddl.Staging
import ducklake.spark.ddl.TableDdl
import ducklake.spark.ddl.ViewDdl
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.extension.retry.StatementRetries
import ducklake.spark.partitioning.Functions
import ducklake.spark.procedures.Procedures
import ducklake.spark.read.DuckLakeScan
import ducklake.spark.session.ApplicationEnd
import ducklake.spark.session.LakeCatalog
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TransactionalLake
import ducklake.spark.sparkapi.sql.SessionSettings
import ducklake.spark.sparkapi.statement.StatementTransaction
import ducklake.spark.sparkapi.view.SparkViews
import ducklake.spark.table.Changelogs
import ducklake.spark.table.Relations
import ducklake.spark.types.SparkTypes.TimeRule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.*
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.connector.catalog.transactions.Transaction
import org.apache.spark.sql.connector.catalog.transactions.TransactionInfo
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

import scala.jdk.CollectionConverters.MapHasAsJava
import scala.jdk.CollectionConverters.MapHasAsScala

/** The catalog plugin, registered as `spark.sql.catalog.<name>`. Its methods only delegate. */
final class DuckLakeCatalog
    extends RelationCatalog
    with StagingTableCatalog
    with SupportsNamespaces
    with ProcedureCatalog
    with FunctionCatalog
    with TransactionalCatalogPlugin
    with LakeCatalog {

  // Spark creates the plugin by its empty constructor, and calls `initialize` once before any other
  // method.
  private var registered: Option[SessionLake] = None

  private def session: SessionLake =
    registered.getOrElse(throw new IllegalStateException("the catalog was not initialized"))

  private[spark] override def lakeOfSession: SessionLake = session

  private lazy val namespaces: Namespaces = new Namespaces(session)
  private lazy val relations: Relations = new Relations(session)
  private lazy val changelogs: Changelogs = new Changelogs(session)
  private lazy val procedures: Procedures = new Procedures(session)
  private lazy val schemas: SchemaDdl = new SchemaDdl(session)
  private lazy val tables: TableDdl = new TableDdl(session)
  private lazy val staging: Staging = new Staging(session)
  private lazy val views: ViewDdl = new ViewDdl(session)

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit =
    registered = Some(onDriver {
      val keys = options.asCaseSensitiveMap().asScala.toMap
      def hadoop = SparkSession.active.sessionState.newHadoopConf()
      val config =
        CatalogConfig.parse(name, keys, CredentialStore.secret(hadoop, HadoopSettings.in(keys), _))
      StatementRetries.check(config)
      ApplicationEnd.onEnd(() => Lakes.closeAll())
      new SessionLake(config, TimeRule.of(SessionSettings.hasTimeType))
    })

  override def name(): String = session.name

  /** The catalog in a statement's transaction equals the registered catalog. A DataFrame that was
    * made before the statement has relations of the registered catalog, and Spark keeps their
    * columns only if it finds the catalog of the statement's target.
    */
  override def equals(other: Any): Boolean = other match {
    case that: DuckLakeCatalog =>
      (this eq that) ||
      registered.exists(own => that.registered.exists(_.immediate eq own.immediate))
    case _ => false
  }

  override def hashCode: Int = registered.fold(0)(lake => System.identityHashCode(lake.immediate))

  override def beginTransaction(info: TransactionInfo): Transaction =
    DuckLakeCatalog.transactionOf(new TransactionalLake(session))

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

  override def listTableSummaries(namespace: Array[String]): Array[TableSummary] =
    listTables(namespace).map(TableSummary.of(_, TableSummary.MANAGED_TABLE_TYPE))

  override def listViews(namespace: Array[String]): Array[Identifier] =
    onDriver(relations.views(namespace))

  override def loadRelation(ident: Identifier): Relation = onDriver(relations.load(ident))

  override def loadTable(ident: Identifier): Table = onDriver(relations.table(ident))

  override def loadTable(ident: Identifier, version: String): Table =
    onDriver(relations.tableAt(ident, version))

  override def loadTable(ident: Identifier, timestamp: Long): Table =
    onDriver(relations.tableAt(ident, timestamp))

  override def loadTable(
      ident: Identifier,
      privileges: util.Set[TableWritePrivilege],
  ): Table = onDriver(relations.tableToWrite(ident))

  override def loadChangelog(
      ident: Identifier,
      context: ChangelogContext,
      options: CaseInsensitiveStringMap,
  ): Changelog = onDriver(changelogs.load(ident, context, options))

  override def tableExists(ident: Identifier): Boolean = onDriver(relations.tableExists(ident))

  override def viewExists(ident: Identifier): Boolean = onDriver(relations.viewExists(ident))

  override def createTable(ident: Identifier, info: TableInfo): Table =
    onDriver(tables.create(ident, info))

  override def stageCreate(ident: Identifier, info: TableInfo): StagedTable =
    onDriver(staging.create(ident, info))

  override def stageReplace(ident: Identifier, info: TableInfo): StagedTable =
    onDriver(staging.replace(ident, info))

  override def stageCreateOrReplace(ident: Identifier, info: TableInfo): StagedTable =
    onDriver(staging.createOrReplace(ident, info))

  override def createTableLike(ident: Identifier, info: TableInfo, source: Table): Table =
    onDriver(tables.createLike(ident, info, source))

  /** The last three are declared only so that Spark passes these tables on. This catalog then
    * refuses them, with an error about DuckLake.
    */
  override def capabilities(): util.Set[TableCatalogCapability] =
    util.EnumSet.of(
      TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE,
      TableCatalogCapability.SUPPORT_TABLE_CONSTRAINT,
      TableCatalogCapability.SUPPORTS_CREATE_TABLE_WITH_GENERATED_COLUMNS,
      TableCatalogCapability.SUPPORTS_CREATE_TABLE_WITH_IDENTITY_COLUMNS,
    )

  override def alterTable(ident: Identifier, changes: TableChange*): Table =
    onDriver(tables.alter(ident, changes))

  override def dropTable(ident: Identifier): Boolean = onDriver(tables.drop(ident))

  override def purgeTable(ident: Identifier): Boolean = onDriver(tables.drop(ident))

  override def renameTable(oldIdent: Identifier, newIdent: Identifier): Unit =
    onDriver(tables.rename(oldIdent, newIdent))

  override def createView(ident: Identifier, info: View): View =
    onDriver(relations.view(views.create(ident, SparkViews.definition(info))))

  override def replaceView(ident: Identifier, info: View): View =
    onDriver(relations.view(views.replace(ident, SparkViews.definition(info))))

  override def dropView(ident: Identifier): Boolean = onDriver(views.drop(ident))

  override def renameView(oldIdent: Identifier, newIdent: Identifier): Unit =
    onDriver(views.rename(oldIdent, newIdent))

  override def loadProcedure(ident: Identifier): UnboundProcedure =
    onDriver(procedures.load(ident))

  override def listProcedures(namespace: Array[String]): Array[Identifier] =
    onDriver(procedures.list(namespace))

  override def listFunctions(namespace: Array[String]): Array[Identifier] =
    Functions.list(namespace)

  override def loadFunction(ident: Identifier): UnboundFunction = Functions.load(ident)
}

private object DuckLakeCatalog {

  /** A transaction whose catalog shows the lake as the statement sees it. */
  private def transactionOf(lake: TransactionalLake): Transaction = {
    val catalog = new DuckLakeCatalog
    catalog.registered = Some(lake)
    new StatementTransaction(catalog, () => lake.finish(), () => lake.discard(), isSeen(lake, _))
  }

  /** Change feeds read snapshots that the query names; Spark has compared these already. */
  private def isSeen(lake: TransactionalLake, scan: Scan): Boolean = scan match {
    case rows: DuckLakeScan => lake.sees(rows.request.table)
    case _: ChangeFeedScan => true
    case _ => false
  }
}
