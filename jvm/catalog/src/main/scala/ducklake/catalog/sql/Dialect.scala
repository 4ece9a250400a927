package ducklake.catalog.sql

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TableId

/** The database schema of the metadata tables. To create it needs a right that the owner of an
  * existing one may not have, and PostgreSQL asks for it in `IF NOT EXISTS` too.
  *
  * @param exists returns a row when it is there
  */
final case class OwnSchema(exists: Sql, create: Sql)

/** The differences between catalog databases. */
trait Dialect {

  /** The common name of the database. */
  def databaseName: String

  /** A metadata table, as a name in a statement. */
  final def table(table: MetadataTable): Sql = this.table(table.name)

  /** A metadata table or an inlined table, as a name in a statement. Errors: CorruptCatalog for
    * other names, because the names of inlined tables come from the catalog.
    */
  final def table(name: String): Sql =
    if (MetadataSchema.hasName(name)) named(name)
    else {
      val why = "DuckLake gives its inlined tables other names"
      throw new LakeException(LakeError.CorruptCatalog(s"the inlined table `$name`", why))
    }

  /** A table of the metadata schema, as a name in a statement. */
  protected def named(name: String): Sql

  /** Columns: name; for the named tables that exist in the metadata schema. */
  def tables(names: Vector[String]): Sql

  /** Columns: name, kind; for objects that a statement could read like a table and that are not
    * tables. Objects of the metadata schema, or of the whole database where this query is
    * equivalent.
    */
  def otherThanTables: Sql

  /** Columns: the name of a schema, one row for each other schema of this database with a table of
    * this name that may be read. None for databases with one schema.
    */
  def otherSchemas(table: String): Option[Sql]

  /** A table of another schema, as a name in a statement. */
  def tableOf(schema: String, name: String): Sql

  /** A value in the form in which this database stores it. */
  def stored(bind: Bind): Bind

  /** The declared type of a column of a metadata table. */
  def columnType(kind: MetadataKind): String

  /** The declared type of a top-level column of an inlined table. None when no version of DuckDB
    * inlines values of the type in this database. Source: DuckDB 1.5.5 and 2.0, observed (format
    * 7.3); format 14.3.
    */
  def inlinedType(column: Column): Option[String]

  /** Whether DuckDB inlines variants into this database, in catalogs of this version. */
  def inlinesVariants(version: FormatVersion): Boolean

  /** The SQL expression that inserts a value into a top-level column of an inlined table. It stores
    * what DuckDB stores for the value. When DuckDB does not read back its own stored form, the
    * expression stores a form that DuckDB reads as the value.
    *
    * None when DuckDB would not read the same value back from this database, when the value is not
    * of the column's type, when [[inlinedType]] is None, and for types that only DuckDB 2.0
    * inlines. Then the row must be written to a file. Source: DuckDB 1.5.5, observed (format 7.3).
    */
  def inlinedValue(value: Literal, column: Column): Option[Sql]

  /** Whether DuckDB can create an inlined table with a column of this name in this database. */
  def canHold(columnName: String): Boolean

  /** The name that DuckDB gives to a column when it creates an inlined table. */
  def inlinedName(columnName: String): String

  /** Columns: name of an inlined table of the table, its schema version, name and declared type of
    * one of its columns; oldest table first, one row for each column, in order. In databases where
    * columns always have the catalog's names, and the types of [[inlinedType]] or types that do not
    * matter, there is one row for each table, with NULL as column name and type.
    */
  def inlinedTables(table: TableId): Sql

  /** The largest number of columns of a table. */
  def mostColumns: Int

  /** The database schema of the metadata tables; None where it always exists. */
  def ownSchema: Option[OwnSchema]

  /** A bound point in time, to compare with stored points in time. */
  def moment(bind: Bind.Moment): Sql

  /** The condition under which the database sorts a stored point in time wrongly; None: never. */
  def isUnsorted(time: Identifier): Option[Sql]

  /** Waits for the commits that are under way and keeps others out until the transaction ends. None
    * where a writing transaction locks from its begin. It must be the first statement.
    */
  def lockOutCommits: Option[Sql]

  /** Waits until it is this commit's turn. Commits run in the order of their requests, and each
    * sees the changes of the commit before. None where a writing transaction waits for others at
    * its begin. It must be the first statement.
    */
  def awaitTurn: Option[Sql]

  /** The statements that rewrite the database, so that it holds no bytes of removed rows. Each runs
    * outside of transactions. If a statement returns a row, 0 as the first value means success, and
    * another value means that something was in use.
    *
    * @param tables the tables of the lake
    *
    * Left: how a person can do it when a connection cannot.
    */
  def vacuum(tables: Vector[String]): Either[String, Vector[VacuumStep]]

  /** Columns: whether a metadata table exists, in the latest state of the database even when the
    * transaction sees an older one; 0 or 1. None where every transaction that writes sees the
    * latest state.
    */
  def existsNow(table: String): Option[Sql]

  /** Reads the clock of the database server; None for databases in this process, which use our
    * clock.
    */
  def clock: Option[Sql]

  /** None where a statement on a whole table is better than parts of it: no other process has the
    * database open meanwhile.
    */
  def storedOrder: Option[StoredOrder]

  /** Columns: the name of a table, the name of one of its columns; one row for each column, in
    * order within a table. No row for a table that does not exist.
    */
  def columnNames(tables: Vector[String]): Sql

  /** The expression that selects a column of an inlined table, so that its value has one of the
    * forms that `InlineCodec` reads.
    */
  def inlinedColumn(name: Identifier, lakeType: LakeType): InlinedSelection

  /** A column of whole numbers of at most 64 bits in an inlined table, as a number. */
  def inlinedWhole(name: Identifier): Sql

  /** A text column of an inlined table and a text, in forms that are equal when the texts are. None
    * when the database may store texts in several forms.
    */
  def inlinedText(name: Identifier, text: String): Option[(Sql, Sql)]

  /** How the texts of stored bounds are compared. */
  private[sql] def boundTexts: BoundTexts
}

private[sql] object Dialect {

  /** The inlined tables that are registered for a table. Columns: name, schema version, NULL, NULL;
    * oldest first.
    */
  def registered(dialect: Dialect, table: TableId): Sql =
    sql"""SELECT inlined.table_name, inlined.schema_version, NULL, NULL
         |FROM ${dialect.table(MetadataSchema.InlinedDataTables)} AS inlined
         |WHERE inlined.table_id = $table
         |ORDER BY inlined.schema_version"""
}

/** @param waiting statements of a transaction before it. They wait for users of the table no longer
  *   than the lake's busy timeout, so that later readers do not wait behind the statement itself
  */
final case class VacuumStep(statement: Sql, waiting: Int => Vector[Sql] = _ => Vector.empty)

/** A selected column of an inlined table. */
sealed trait InlinedSelection {
  def sql: Sql
}

object InlinedSelection {

  /** The value itself. */
  final case class Plain(sql: Sql) extends InlinedSelection

  /** The text of a list with the value as its only element. */
  final case class ListOfOne(sql: Sql) extends InlinedSelection
}
