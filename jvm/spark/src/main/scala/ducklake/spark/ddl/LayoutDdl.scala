package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.schema.PartitionSpecChange
import ducklake.catalog.change.schema.RowPresence
import ducklake.catalog.change.schema.SchemaChange
import ducklake.catalog.change.schema.SortChange
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.change.schema.TableDraft
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.Names
import ducklake.spark.definition.KeyText
import ducklake.spark.definition.NotNull
import ducklake.spark.definition.QuotedName
import ducklake.spark.definition.RowsOfTable
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.SessionLake

/** Changes of a table that Spark's own statements cannot make: partition keys, sort order, NOT
  * NULL.
  */
final class LayoutDdl(session: SessionLake) {

  private val tables = new TableDdl(session)

  /** Sets the partition keys. Without keys the table is not partitioned any more.
    *
    * @param keys as in DuckDB's SET PARTITIONED BY
    */
  def partition(table: TableName, keys: Vector[String]): Unit =
    alter(table) { (base, lakeTable, draft) =>
      PartitionSpecChange.set(
        draft.copy(rows = RowsOfTable.presence(base, lakeTable)),
        keys.flatMap(new KeyText(base.version).parse),
      )
    }

  /** Sets the sort order. Without keys the table is not sorted any more. */
  def sort(table: TableName, keys: Vector[SortChange.NamedKey]): Unit =
    alter(table)((_, _, draft) => SortChange.set(draft, keys))

  /** Sets NOT NULL on a column.
    *
    * @param column its name, which may be quoted as in SQL. A column with exactly this name takes
    *   precedence.
    */
  def setNotNull(table: TableName, column: String): Unit =
    alter(table) { (base, lakeTable, draft) =>
      val isKnown = Names.find(lakeTable.columns, column)(_.name).isDefined
      val name = if (isKnown) column else QuotedName.unquoted(column)
      NotNull.set(draft, base, lakeTable, Vector(name))
    }

  private def alter(name: TableName)(
      change: (LakeSnapshot, LakeTable, TableDraft) => SchemaChange.Result
  ): Unit = {
    val (base, table) = session
      .baseIfAny()
      .flatMap(base => name.find(base).map((base, _)))
      .getOrElse(throw name.missing(session.name))
    val definition = TableDefinition.of(table)
    val draft = TableDraft(
      table.qualifiedName,
      definition,
      base.nextColumnId(table),
      base.version,
      RowPresence.HasRows,
    )
    tables.change(base, table, change(base, table, draft).fold(SparkErrors.raise, _.definition))
  }
}
