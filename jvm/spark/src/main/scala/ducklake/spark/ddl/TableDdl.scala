package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowScope
import ducklake.catalog.change.schema.NameRules
import ducklake.catalog.change.schema.RowPresence
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.schema.TableDraft
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.option.OptionScope
import ducklake.catalog.types.Names
import ducklake.spark.definition.TableChanges
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StatementInfo
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.catalog.TableChange

/** CREATE, ALTER, RENAME and DROP TABLE. Each statement is one commit, or no commit when nothing
  * changes.
  */
final class TableDdl(session: SessionLake) {

  private val names = new ObjectNames(session)
  private val newTables = new NewTables(session)

  def create(ident: Identifier, info: TableDescription): Table = {
    val base = session.base()
    val operation = newTables.operation(base, ident, info)
    commit(base, Vector(operation))
    load(ident)
  }

  def createLike(ident: Identifier, info: TableDescription, source: Table): Table =
    source match {
      case like: DuckLakeTable =>
        val base = session.base()
        commit(base, Vector(newTables.like(base, ident, info, like.at.table)))
        load(ident)
      case _ => create(ident, info)
    }

  /** Drops a table. False when the table does not exist. */
  def drop(ident: Identifier): Boolean =
    session.baseIfAny().exists { base =>
      names.table(base, ident).exists { table =>
        commit(base, Vector(Operation.DropTable(table)))
        true
      }
    }

  def rename(from: Identifier, to: Identifier): Unit = {
    val (base, table) = existing(from)
    val name = names.newName(table.schema, to)
    NameRules.table(name).left.foreach(fail)
    val isOther = !Names.isSame(name, table.name)
    if (isOther && names.isTaken(base, table.schema, name))
      throw new TableAlreadyExistsException(Identifier.of(table.schema.path.toArray, name))
    change(base, table, TableDefinition.of(table).copy(name = name))
  }

  /** Makes all of the changes or none, and returns the changed table. When the table has been
    * renamed or dropped since the change, returns the table before the change.
    */
  def alter(ident: Identifier, changes: Seq[TableChange]): Table = {
    val (base, table) = existing(ident)
    val draft = new TableChanges(session, base, table).all(changes)
    val options = TableChanges.options(changes, draft.definition)
    val setOptions = Option.when(options.nonEmpty)(
      Operation.SetOptions(OptionScope.OfTable(table.id), options)
    )
    if (draft.definition != TableDefinition.of(table))
      commit(
        base,
        alteration(table, draft.definition) ++ setOptions ++ guard(table, draft),
      )
    else setOptions.foreach(session.setOptions(base, _))
    val found = find(ident).filter(_.table.id == table.id)
    new DuckLakeTable(found.getOrElse(new TableAtSnapshot(session, base, table)))
  }

  /** As [[alter]], for a statement WITH SCHEMA EVOLUTION. Errors also: Unsupported when a column
    * would get a type that does not hold its values.
    */
  def evolve(ident: Identifier, changes: Seq[TableChange]): Table = {
    val (base, table) = existing(ident)
    new TableChanges(session, base, table).checkEvolution(changes)
    alter(ident, changes)
  }

  /** Errors: Unsupported, because the change would stay, although no row is written. */
  def refuseExplained(ident: Identifier): Nothing = {
    val name = (session.name +: ident.namespace().toVector) :+ ident.name()
    fail(
      LakeError.Unsupported(
        s"EXPLAIN of a statement WITH SCHEMA EVOLUTION that changes columns of `${name.mkString(".")}`",
        "Spark would change them. Explain the statement without these words.",
      )
    )
  }

  /** Commits the new definition of the table, unless it equals the old definition. */
  def change(base: LakeSnapshot, table: LakeTable, definition: TableDefinition): Unit =
    if (definition != TableDefinition.of(table))
      commit(base, alteration(table, definition))

  private def alteration(table: LakeTable, definition: TableDefinition): Vector[Operation] =
    Vector(Operation.AlterTable(table, table.schema, definition))

  /** Rows that others add would have no values in columns of other types. */
  private def guard(table: LakeTable, draft: TableDraft): Vector[Operation] =
    draft.rows match {
      case RowPresence.Empty => Vector(Operation.AssertNoNewRows(table, RowScope.Every))
      case RowPresence.HasRows => Vector.empty
    }

  private def existing(ident: Identifier): (LakeSnapshot, LakeTable) =
    session
      .baseIfAny()
      .flatMap(base => names.table(base, ident).map((base, _)))
      .getOrElse(throw new NoSuchTableException(ident))

  private def commit(base: LakeSnapshot, operations: Vector[Operation]): Unit = {
    val _ = session.commit(base, operations, StatementInfo.none).orThrow
  }

  private def load(ident: Identifier): Table =
    new DuckLakeTable(find(ident).getOrElse(throw new NoSuchTableException(ident)))

  private def find(ident: Identifier): Option[TableAtSnapshot] =
    session
      .current()
      .flatMap(now => names.table(now, ident).map(new TableAtSnapshot(session, now, _)))

  private def fail(error: LakeError): Nothing = throw new LakeException(error)
}
