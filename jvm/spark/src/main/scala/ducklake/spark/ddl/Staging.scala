package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.Operation
import ducklake.catalog.model.LakeTable
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.StagedTable
import org.apache.spark.sql.connector.catalog.TableInfo

/** CREATE TABLE AS SELECT, CREATE OR REPLACE TABLE and REPLACE TABLE. Each statement is one
  * snapshot.
  */
final class Staging(session: SessionLake) {

  private val names = new ObjectNames(session)
  private val newTables = new NewTables(session)

  def create(ident: Identifier, info: TableInfo): StagedTable = {
    val base = session.base()
    staged(base, Vector.empty, newTables.operation(base, ident, info))
  }

  /** Throws NoSuchTableException. */
  def replace(ident: Identifier, info: TableInfo): StagedTable = {
    val base = session
      .baseIfAny()
      .getOrElse(throw new NoSuchTableException(ident))
    val table = names.table(base, ident).getOrElse(throw new NoSuchTableException(ident))
    replacing(base, table, ident, info)
  }

  def createOrReplace(ident: Identifier, info: TableInfo): StagedTable = {
    val base = session.base()
    names.table(base, ident) match {
      case Some(table) => replacing(base, table, ident, info)
      case None if names.view(base, ident).isDefined =>
        throw new TableAlreadyExistsException(ident)
      case None => staged(base, Vector.empty, newTables.operation(base, ident, info))
    }
  }

  /** Drops the table and creates another table of its name, spelled as in this statement. */
  private def replacing(
      base: LakeSnapshot,
      table: LakeTable,
      ident: Identifier,
      info: TableInfo,
  ): StagedTable =
    staged(
      base,
      Vector(Operation.DropTable(table)),
      newTables.operationFor(base, table.schema, ident.name(), info),
    )

  private def staged(
      base: LakeSnapshot,
      before: Vector[Operation],
      create: Operation.CreateTable,
  ): StagedTable = new StagedCreation(session.immediate, base, before, create)
}
