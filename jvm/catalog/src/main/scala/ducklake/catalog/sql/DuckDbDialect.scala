package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TableId
import ducklake.catalog.types.inlined.InlineCodec
import ducklake.catalog.types.text.InstantText

/** A DuckDB file, attached under a fixed name.
  *
  * @param schema holds the metadata tables
  */
final case class DuckDbDialect(schema: String) extends Dialect {
  def databaseName: String = "DuckDB"

  protected def named(name: String): Sql = tableOf(schema, name)

  def tableOf(schema: String, name: String): Sql =
    sql"${Sql.identifier(DuckDbDialect.Alias)}.${Sql.identifier(schema)}.${Sql.identifier(name)}"

  def otherSchemas(table: String): Option[Sql] =
    Some(
      sql"""SELECT schema_name
           |FROM duckdb_tables()
           |WHERE database_name = ${DuckDbDialect.Alias}
           |  AND table_name = $table AND schema_name <> $schema
           |ORDER BY schema_name"""
    )

  def tables(names: Vector[String]): Sql =
    sql"""SELECT table_name
         |FROM duckdb_tables()
         |WHERE database_name = ${DuckDbDialect.Alias}
         |  AND schema_name = $schema AND table_name IN (${Sql.list(
        names.map(name => name: SqlPart)
      )})"""

  def otherThanTables: Sql =
    sql"""SELECT view_name, 'view'
         |FROM duckdb_views()
         |WHERE database_name = ${DuckDbDialect.Alias} AND NOT internal"""

  /** Values for which the driver has no type are bound as text, which DuckDB casts. */
  def stored(bind: Bind): Bind = bind match {
    case Bind.Uuid(value) => Bind.Text(value.toString)
    case Bind.Moment(value) => Bind.Text(InstantText.print(value))
    case Bind.Number(_) | Bind.Text(_) | Bind.Flag(_) | Bind.Bytes(_) | Bind.Absent => bind
  }

  def columnType(kind: MetadataKind): String = kind match {
    case MetadataKind.Number => "BIGINT"
    case MetadataKind.Text => "VARCHAR"
    case MetadataKind.Flag => "BOOLEAN"
    case MetadataKind.Uuid => "UUID"
    case MetadataKind.Moment => "TIMESTAMP WITH TIME ZONE"
  }

  def inlinedType(column: Column): Option[String] = DuckDbTypes.declared(column)

  def inlinesVariants(version: FormatVersion): Boolean = true

  def inlinedValue(value: Literal, column: Column): Option[Sql] =
    for {
      declared <- inlinedType(column)
      if !InlinableTypes.holds(column, Set(LakeType.TimestampTzNs))
      stored <- InlineCodec.encodeForCast(value, column)
      bind <- InlinedBinds.plain(stored)
    } yield sql"CAST($bind AS ${Sql(declared, Vector.empty)})"

  def canHold(columnName: String): Boolean = true

  def inlinedName(columnName: String): String = columnName

  def inlinedTables(table: TableId): Sql = Dialect.registered(this, table)

  def mostColumns: Int = Int.MaxValue

  def ownSchema: Option[OwnSchema] =
    Option.unless(schema == "main")(
      OwnSchema(
        sql"""SELECT 1 FROM duckdb_schemas()
             |WHERE database_name = ${DuckDbDialect.Alias} AND schema_name = $schema""",
        sql"CREATE SCHEMA IF NOT EXISTS ${Sql.identifier(DuckDbDialect.Alias)}.${Sql.identifier(schema)}",
      )
    )

  /** DuckDB's CHECKPOINT and VACUUM do not overwrite freed blocks, and another process that waits
    * for the file could open it while it is replaced.
    */
  def vacuum(tables: Vector[String]): Either[String, Vector[VacuumStep]] =
    Left(
      "While nobody has the lake open, copy the file with DuckDB (`ATTACH 'old' AS old; ATTACH 'new' " +
        "AS new; COPY FROM DATABASE old TO new`), and put the copy in its place."
    )

  def moment(bind: Bind.Moment): Sql = sql"CAST($bind AS TIMESTAMP WITH TIME ZONE)"

  def isUnsorted(time: Identifier): Option[Sql] = None

  def lockOutCommits: Option[Sql] = None

  def awaitTurn: Option[Sql] = None

  def existsNow(table: String): Option[Sql] = None

  def clock: Option[Sql] = None

  def storedOrder: Option[StoredOrder] = None

  def columnNames(tables: Vector[String]): Sql =
    sql"""SELECT table_name, column_name
         |FROM duckdb_columns()
         |WHERE database_name = ${DuckDbDialect.Alias} AND schema_name = $schema
         |  AND table_name IN (${Sql.list(tables.map(name => name: SqlPart))})
         |ORDER BY table_name, column_index"""

  /** Values are selected as text in DuckDB's spelling. A nested value is put into a list of one
    * element, so that structs, lists and maps are all spelled as inside a list.
    */
  def inlinedColumn(name: Identifier, lakeType: LakeType): InlinedSelection = lakeType match {
    case LakeType.Blob => InlinedSelection.Plain(sql"$name")
    case LakeType.Variant => InlinedSelection.Plain(sql"variant_to_parquet_variant($name)")
    case _: LakeType.Nested => InlinedSelection.ListOfOne(sql"CAST([$name] AS VARCHAR)")
    case _ => InlinedSelection.Plain(sql"CAST($name AS VARCHAR)")
  }

  def inlinedWhole(name: Identifier): Sql = sql"$name"

  def inlinedText(name: Identifier, text: String): Option[(Sql, Sql)] =
    Some((sql"$name", sql"$text"))

  private[sql] def boundTexts: BoundTexts = DuckDbBoundTexts
}

object DuckDbDialect {

  /** The name of the attached file in statements. */
  val Alias: String = "ducklake_catalog"
}
