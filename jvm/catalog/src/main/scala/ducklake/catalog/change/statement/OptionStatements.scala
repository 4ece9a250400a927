package ducklake.catalog.change.statement

import ducklake.catalog.option.OptionChange
import ducklake.catalog.option.OptionScope
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.WriteSql

/** Statements that set options. Source: DuckDB 1.5.5, observed (format 8.5). */
private[catalog] final class OptionStatements(sql: WriteSql) {

  def set(changes: Vector[OptionChange], scope: OptionScope): Vector[Sql] = {
    val (kind, id) = stored(scope)
    changes.flatMap { change =>
      val values = change.value.toVector.map(change.key -> _)
      sql.deleteOption(change.key, kind, id) +: insert(values, kind, id)
    }
  }

  /** The columns `scope` and `scope_id`. */
  private def stored(scope: OptionScope): (Option[String], Option[Long]) =
    scope match {
      case OptionScope.Global => (None, None)
      case OptionScope.OfSchema(id) => (Some("schema"), Some(id.value))
      case OptionScope.OfTable(id) => (Some("table"), Some(id.value))
    }

  /** Gives a value to an option of which the table has at most one row. The row is updated in
    * place, because it changes often: PostgreSQL reuses the space of old row versions without
    * VACUUM.
    */
  def replace(key: String, value: String, table: Long): Vector[Sql] =
    Vector(update(key, value, table), sql.insertMissingOption(key, value, table))

  /** Like [[replace]], for an option that the table has. */
  def update(key: String, value: String, table: Long): Sql = sql.updateOption(key, value, table)

  /** A new option of a table. */
  def ofTable(key: String, value: String, table: Long): Vector[Sql] =
    insert(Vector(key -> value), Some("table"), Some(table))

  /** The options of a new table. */
  def ofNewTable(id: Long, options: Map[String, String]): Vector[Sql] =
    insert(options.toVector.sorted, Some("table"), Some(id))

  private def insert(
      options: Vector[(String, String)],
      scope: Option[String],
      id: Option[Long],
  ): Vector[Sql] =
    sql.insert(MetadataSchema.Metadata, options)(
      "key" -> (option => Bind.Text(option._1)),
      "value" -> (option => Bind.Text(option._2)),
      "scope" -> (_ => Bind.ofText(scope)),
      "scope_id" -> (_ => Bind.of(id)),
    )
}
