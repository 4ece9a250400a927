package ducklake.spark

import ducklake.spark.changes.ChangeFeedScan
import ducklake.spark.changes.ChangesIdentifier
import ducklake.spark.ddl.ViewDdl
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.read.DuckLakeScan
import ducklake.spark.session.TransactionalLake
import ducklake.spark.sparkapi.statement.RunningAnalysis
import ducklake.spark.sparkapi.statement.StatementTransaction
import ducklake.spark.sparkapi.view.SparkViews
import ducklake.spark.table.Changelogs
import org.apache.spark.sql.connector.catalog.*
import org.apache.spark.sql.connector.catalog.transactions.Transaction
import org.apache.spark.sql.connector.catalog.transactions.TransactionInfo
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The catalog plugin, registered as `spark.sql.catalog.<name>`, with views, the clause CHANGES and
  * transactions of statements. Its methods only delegate.
  *
  * The defaults of `RelationCatalog` hide methods of the superclass, so this class overrides each
  * of them again.
  */
final class DuckLakeCatalog
    extends TableInfoCatalog
    with RelationCatalog
    with TransactionalCatalogPlugin {

  private lazy val changelogs: Changelogs = new Changelogs(session)
  private lazy val views: ViewDdl = new ViewDdl(session)

  override def beginTransaction(info: TransactionInfo): Transaction =
    DuckLakeCatalog.transactionOf(new TransactionalLake(session))

  /** Spark analyses a statement without a transaction when it only explains the statement. */
  override def alterTable(ident: Identifier, changes: TableChange*): Table = session match {
    case _: TransactionalLake => super.alterTable(ident, changes*)
    case _ if RunningAnalysis.isThere => onDriver(tables.refuseExplained(ident))
    case _ => super.alterTable(ident, changes*)
  }

  override def listViews(namespace: Array[String]): Array[Identifier] =
    onDriver(relations.views(namespace))

  override def loadRelation(ident: Identifier): Relation =
    onDriver(relations.load(ident).fold(SparkViews.view, identity))

  override def loadTable(ident: Identifier): Table = onDriver(ident match {
    case changes: ChangesIdentifier => changelogs.load(changes)
    case _ => relations.table(ident)
  })

  override def tableExists(ident: Identifier): Boolean = onDriver(relations.tableExists(ident))

  override def viewExists(ident: Identifier): Boolean = onDriver(relations.viewExists(ident))

  override def loadChangelog(
      ident: Identifier,
      context: ChangelogContext,
      options: CaseInsensitiveStringMap,
  ): Changelog = onDriver(changelogs.load(ident, context, options))

  override def createTableLike(ident: Identifier, info: TableInfo, source: Table): Table =
    onDriver(tables.createLike(ident, described(info), source))

  override def createView(ident: Identifier, info: View): View =
    onDriver(SparkViews.view(relations.view(views.create(ident, SparkViews.definition(info)))))

  override def replaceView(ident: Identifier, info: View): View =
    onDriver(SparkViews.view(relations.view(views.replace(ident, SparkViews.definition(info)))))

  override def dropView(ident: Identifier): Boolean = onDriver(views.drop(ident))

  override def renameView(oldIdent: Identifier, newIdent: Identifier): Unit =
    onDriver(views.rename(oldIdent, newIdent))
}

private object DuckLakeCatalog {

  /** A transaction whose catalog shows the lake as the statement sees it. */
  private def transactionOf(lake: TransactionalLake): Transaction = {
    val catalog = new DuckLakeCatalog
    catalog.open(lake)
    new StatementTransaction(catalog, () => lake.finish(), () => lake.discard(), isSeen(lake, _))
  }

  /** Change feeds read snapshots that the query names; Spark has compared these already. */
  private def isSeen(lake: TransactionalLake, scan: Scan): Boolean = scan match {
    case rows: DuckLakeScan => lake.sees(rows.request.table)
    case _: ChangeFeedScan => true
    case _ => false
  }
}
