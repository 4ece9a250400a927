package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.TableRecord
import ducklake.catalog.model.LakeTable
import ducklake.catalog.option.OptionScope
import ducklake.spark.definition.RequestedProperties
import ducklake.spark.partitioning.SparkTransforms
import ducklake.spark.read.ReadOptions
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.statement.RunningReplace
import ducklake.spark.table.DuckLakeTable
import ducklake.spark.types.SparkColumns
import ducklake.spark.types.TextLengths
import ducklake.spark.write.RowOptions
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.StagedTable

/** CREATE TABLE AS SELECT, CREATE OR REPLACE TABLE and REPLACE TABLE. Each statement is one
  * snapshot.
  */
final class Staging(session: SessionLake) {

  private val names = new ObjectNames(session)
  private val newTables = new NewTables(session)

  def create(ident: Identifier, info: TableDescription): StagedTable =
    created(session.base(), ident, info)

  /** Throws NoSuchTableException. */
  def replace(ident: Identifier, info: TableDescription): StagedTable = {
    val base = session
      .baseIfAny()
      .getOrElse(throw new NoSuchTableException(ident))
    val table = names.table(base, ident).getOrElse(throw new NoSuchTableException(ident))
    replacing(base, table, ident, info)
  }

  def createOrReplace(ident: Identifier, info: TableDescription): StagedTable = {
    val base = session.base()
    names.table(base, ident) match {
      case Some(table) => replacing(base, table, ident, info)
      case None if names.view(base, ident).isDefined =>
        throw new TableAlreadyExistsException(ident)
      case None => created(base, ident, info)
    }
  }

  private def created(base: LakeSnapshot, ident: Identifier, info: TableDescription): StagedTable =
    new StagedCreation(session.immediate, base, None, newTables.operation(base, ident, info))

  /** Drops the table and creates another table of its name, spelled as in this statement; or
    * replaces its rows, when the statement describes the same table (decision 24).
    */
  private def replacing(
      base: LakeSnapshot,
      table: LakeTable,
      ident: Identifier,
      info: TableDescription,
  ): StagedTable = {
    val statement = RunningReplace.ofThread()
    val replaced = ReplacedTable(table, optionsOf(table), statement.forall(isRead(table, _)))
    if (statement.exists(keepsTable(table, info, _)))
      new StagedOverwrite(session.immediate, base, replaced)
    else {
      val create = newTables.operationFor(base, table.schema, ident.name(), info)
      new StagedCreation(session.immediate, base, Some(replaced), create)
    }
  }

  private def optionsOf(table: LakeTable): Vector[String] =
    session.options().collect {
      case option
          if option.scope == OptionScope.OfTable(table.id) && !TableRecord.isKey(option.key) =>
        option.key
    }

  /** Whether the statement reads the table as it is now. Reads at a named snapshot, or through a
    * catalog that is pinned to one, do not depend on the commits of others.
    */
  private def isRead(table: LakeTable, statement: RunningReplace): Boolean =
    statement.reads.exists { read =>
      read.table match {
        case lake: DuckLakeTable =>
          val isPast = read.isPast || lake.at.isPast || lake.at.session.config.pin.isDefined ||
            ReadOptions.named(read.options).isDefined
          lake.at.table.uuid == table.uuid && !isPast
        case _ => false
      }
    }

  private def keepsTable(
      table: LakeTable,
      info: TableDescription,
      statement: RunningReplace,
  ): Boolean = {
    val keys = info.partitions
    statement.isSaveAsTable && !new RowOptions(statement.options).asksForOtherColumns &&
    RequestedProperties.of(info.properties).isEmpty &&
    (keys.isEmpty || keys.sameElements(SparkTransforms.ofCreation(table))) &&
    RunningReplace.haveSameTypes(
      info.columns.toArray,
      SparkColumns.of(table.columns, session.timeRule, TextLengths.of(table.tags)),
    )
  }
}
