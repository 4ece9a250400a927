package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TableId
import ducklake.catalog.types.inlined.InlineCodec

/** PostgreSQL.
  *
  * @param schema holds the metadata tables
  */
final case class PostgresDialect(schema: String) extends Dialect {
  def databaseName: String = "PostgreSQL"

  protected def named(name: String): Sql = tableOf(schema, name)

  def tableOf(schema: String, name: String): Sql =
    sql"${Sql.identifier(schema)}.${Sql.identifier(name)}"

  def otherSchemas(table: String): Option[Sql] =
    Some(
      sql"""SELECT schemaname
           |FROM pg_catalog.pg_tables
           |WHERE tablename = $table AND schemaname <> $schema
           |  AND has_schema_privilege(schemaname, 'USAGE')
           |  AND has_table_privilege(format('%I.%I', schemaname, tablename), 'SELECT')
           |ORDER BY schemaname"""
    )

  def tables(names: Vector[String]): Sql =
    sql"""SELECT tablename
         |FROM pg_catalog.pg_tables
         |WHERE schemaname = $schema AND tablename IN (${Sql.list(
        names.map(name => name: SqlPart)
      )})"""

  def otherThanTables: Sql =
    sql"""SELECT other.relname,
         |  CASE other.relkind WHEN 'f' THEN 'foreign table' ELSE 'view' END
         |FROM pg_catalog.pg_class AS other
         |JOIN pg_catalog.pg_namespace AS holder ON holder.oid = other.relnamespace
         |WHERE holder.nspname = $schema AND other.relkind IN ('v', 'm', 'f')"""

  def stored(bind: Bind): Bind = bind

  def columnType(kind: MetadataKind): String = kind match {
    case MetadataKind.Number => "bigint"
    case MetadataKind.Text => "varchar"
    case MetadataKind.Flag => "boolean"
    case MetadataKind.Uuid => "uuid"
    case MetadataKind.Moment => "timestamptz"
  }

  def inlinedType(column: Column): Option[String] = column.dataType match {
    case LakeType.Bool => Some("boolean")
    case LakeType.Int8 | LakeType.Int16 => Some("smallint")
    case LakeType.Int32 | LakeType.UInt8 | LakeType.UInt16 => Some("integer")
    case LakeType.Int64 | LakeType.UInt32 => Some("bigint")
    case LakeType.Float32 => Some("real")
    case LakeType.Float64 => Some("double precision")
    case LakeType.Decimal(precision, scale) => Some(s"numeric($precision, $scale)")
    case LakeType.Varchar | LakeType.Json | LakeType.Blob | LakeType.Variant => Some("bytea")
    case LakeType.Uuid => Some("uuid")
    case LakeType.Time | LakeType.TimeNs => Some("time")
    case LakeType.TimeTz => Some("timetz")
    case LakeType.Interval => Some("interval")
    case LakeType.Geometry(_) | LakeType.NullType | LakeType.Unknown(_) => None
    case LakeType.ListType | LakeType.StructType | LakeType.MapType =>
      Option.when(InlinableTypes.all(column, inlinedType(_).nonEmpty))("varchar")
    case LakeType.Int128 | LakeType.UInt64 | LakeType.UInt128 | LakeType.Date | LakeType.Timestamp |
        LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs | LakeType.TimestampTz |
        LakeType.TimestampTzNs =>
      Some("varchar")
  }

  def inlinesVariants(version: FormatVersion): Boolean = version.hasInlinedPrefix

  /** `time_ns` is excluded: DuckDB creates no inlined tables with it in PostgreSQL, which has no
    * nanoseconds.
    */
  def inlinedValue(value: Literal, column: Column): Option[Sql] =
    for {
      declared <- inlinedType(column)
      if column.dataType != LakeType.TimeNs && !InlinableTypes.isOf20(column)
      stored <- InlineCodec.encode(value, column)
      bind <- InlinedBinds.postgres(stored, column.dataType)
    } yield sql"CAST($bind AS ${Sql(declared, Vector.empty)})"

  def canHold(columnName: String): Boolean = PostgresNames.canHold(columnName)

  def inlinedName(columnName: String): String = PostgresNames.inlined(columnName)

  /** The column names are read from the database, because another version of DuckDB or of this
    * connector may have quoted names that this version does not quote; the types, because DuckDB up
    * to 0.3 declared other types.
    */
  def inlinedTables(table: TableId): Sql =
    sql"""SELECT inlined.table_name, inlined.schema_version, own.attname, kind.typname
         |FROM ${this.table(MetadataSchema.InlinedDataTables)} AS inlined
         |LEFT JOIN pg_catalog.pg_class AS entry
         |  ON entry.relname = inlined.table_name AND entry.relnamespace = (
         |    SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $schema)
         |LEFT JOIN pg_catalog.pg_attribute AS own
         |  ON own.attrelid = entry.oid AND own.attnum > 0 AND NOT own.attisdropped
         |LEFT JOIN pg_catalog.pg_type AS kind ON kind.oid = own.atttypid
         |WHERE inlined.table_id = $table
         |ORDER BY inlined.schema_version, inlined.table_name, own.attnum"""

  def mostColumns: Int = 1600

  def ownSchema: Option[OwnSchema] =
    Option.unless(schema == "public")(
      OwnSchema(
        sql"SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $schema",
        sql"CREATE SCHEMA IF NOT EXISTS ${Sql.identifier(schema)}",
      )
    )

  /** The statement also renews the server's samples of values (`pg_statistic`). */
  def vacuum(tables: Vector[String]): Either[String, Vector[VacuumStep]] =
    Right(tables.map { name =>
      VacuumStep(
        sql"VACUUM (FULL, ANALYZE) ${table(name)}",
        millis =>
          Vector(
            Sql(s"SET LOCAL lock_timeout = $millis", Vector.empty),
            sql"LOCK TABLE ${table(name)} IN ACCESS EXCLUSIVE MODE",
          ),
      )
    })

  def moment(bind: Bind.Moment): Sql = sql"$bind"

  def isUnsorted(time: Identifier): Option[Sql] = None

  def lockOutCommits: Option[Sql] =
    Some(sql"LOCK TABLE ${table(MetadataSchema.Snapshot.name)} IN ACCESS EXCLUSIVE MODE")

  /** The transaction sees the state of the database after this statement, because a lock takes no
    * snapshot. The lock mode conflicts only with itself: neither readers nor the statements of
    * another engine wait for it. VACUUM takes the same lock, so the locked table hardly changes:
    * only with CREATE and DROP SCHEMA (decision 08).
    */
  def awaitTurn: Option[Sql] =
    Some(sql"LOCK TABLE ${table(MetadataSchema.Schema.name)} IN SHARE UPDATE EXCLUSIVE MODE")

  /** The system's functions look past the snapshot of the transaction. */
  def existsNow(table: String): Option[Sql] = {
    val name = this.table(table).text
    Some(sql"SELECT CASE WHEN to_regclass($name) IS NULL THEN 0 ELSE 1 END")
  }

  def clock: Option[Sql] = Some(sql"SELECT clock_timestamp()")

  def storedOrder: Option[StoredOrder] = Some(ByPage)

  private object ByPage extends StoredOrder {
    def end(table: MetadataTable): Sql = {
      val name = PostgresDialect.this.table(table).text
      sql"""SELECT pg_relation_size(CAST($name AS regclass))
           |  / CAST(current_setting('block_size') AS bigint)"""
    }

    /** A scan of a range of rows reads the pages of the range only, from PostgreSQL 14 on. */
    def isWithin(alias: String, from: Long, until: Long): Sql = {
      val row = Sql.identifier(alias)
      sql"$row.ctid >= CAST(${s"($from,0)"} AS tid) AND $row.ctid < CAST(${s"($until,0)"} AS tid)"
    }

    def rowsEach: Int = 100
  }

  def columnNames(tables: Vector[String]): Sql =
    sql"""SELECT table_name, column_name
         |FROM information_schema.columns
         |WHERE table_schema = $schema
         |  AND table_name IN (${Sql.list(tables.map(name => name: SqlPart))})
         |ORDER BY table_name, ordinal_position"""

  def inlinedColumn(name: Identifier, lakeType: LakeType): InlinedSelection =
    InlinedSelection.Plain(selected(name, lakeType))

  def inlinedWhole(name: Identifier): Sql = sql"CAST($name AS bigint)"

  /** Texts are bytes or texts, by the version of DuckDB that made the inlined table. */
  def inlinedText(name: Identifier, text: String): Option[(Sql, Sql)] = None

  private[sql] def boundTexts: BoundTexts = PostgresBoundTexts

  private def selected(name: Identifier, lakeType: LakeType): Sql = lakeType match {
    case LakeType.Bool | LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 |
        LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32 | LakeType.Float32 | LakeType.Float64 |
        LakeType.Varchar | LakeType.Json | LakeType.Blob | LakeType.Variant =>
      sql"$name"
    case _ => sql"CAST($name AS text)"
  }
}
