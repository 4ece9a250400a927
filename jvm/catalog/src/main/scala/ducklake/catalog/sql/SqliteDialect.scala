package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TableId
import ducklake.catalog.types.inlined.InlineCodec
import ducklake.catalog.types.text.InstantText

/** SQLite. It has one schema and weak column types: a value is read in the type in which it was
  * stored.
  */
object SqliteDialect extends Dialect {
  def databaseName: String = "SQLite"

  protected def named(name: String): Sql = sql"${Sql.identifier(name)}"

  def tableOf(schema: String, name: String): Sql =
    sql"${Sql.identifier(schema)}.${Sql.identifier(name)}"

  def otherSchemas(table: String): Option[Sql] = None

  def tables(names: Vector[String]): Sql =
    sql"""SELECT name
         |FROM sqlite_master
         |WHERE type = 'table' AND name IN (${Sql.list(names.map(name => name: SqlPart))})"""

  /** A virtual table has no page of its own. */
  def otherThanTables: Sql =
    sql"""SELECT name, CASE type WHEN 'view' THEN 'view' ELSE 'virtual table' END
         |FROM sqlite_master
         |WHERE type = 'view' OR type = 'table' AND rootpage = 0"""

  /** Values are stored as integers, texts and bytes, texts in DuckDB's spelling. */
  def stored(bind: Bind): Bind = bind match {
    case Bind.Flag(value) => Bind.Number(if (value) 1L else 0L)
    case Bind.Uuid(value) => Bind.Text(value.toString)
    case Bind.Moment(value) => Bind.Text(InstantText.print(value))
    case Bind.Number(_) | Bind.Text(_) | Bind.Bytes(_) | Bind.Absent => bind
  }

  def columnType(kind: MetadataKind): String = kind match {
    case MetadataKind.Number | MetadataKind.Flag => "BIGINT"
    case MetadataKind.Text | MetadataKind.Uuid | MetadataKind.Moment => "VARCHAR"
  }

  def inlinedType(column: Column): Option[String] = column.dataType match {
    case LakeType.Bool | LakeType.Int8 | LakeType.Int16 | LakeType.Int32 | LakeType.Int64 |
        LakeType.UInt8 | LakeType.UInt16 | LakeType.UInt32 =>
      Some("BIGINT")
    case LakeType.Blob | LakeType.Variant => Some("BLOB")
    case LakeType.Geometry(_) | LakeType.NullType | LakeType.Unknown(_) => None
    case LakeType.ListType | LakeType.StructType | LakeType.MapType =>
      Option.when(InlinableTypes.all(column, inlinedType(_).nonEmpty))("VARCHAR")
    case LakeType.Int128 | LakeType.UInt64 | LakeType.UInt128 | LakeType.Float32 |
        LakeType.Float64 | LakeType.Decimal(_, _) | LakeType.Date | LakeType.Time |
        LakeType.TimeNs | LakeType.TimeTz | LakeType.Timestamp | LakeType.TimestampS |
        LakeType.TimestampMs | LakeType.TimestampNs | LakeType.TimestampTz |
        LakeType.TimestampTzNs | LakeType.Interval | LakeType.Varchar | LakeType.Json |
        LakeType.Uuid =>
      Some("VARCHAR")
  }

  def inlinesVariants(version: FormatVersion): Boolean = version.hasInlinedPrefix

  def inlinedValue(value: Literal, column: Column): Option[Sql] =
    for {
      _ <- inlinedType(column)
      if !InlinableTypes.isOf20(column)
      stored <- InlineCodec.encode(value, column)
      bind <- InlinedBinds.plain(stored)
    } yield sql"$bind"

  def canHold(columnName: String): Boolean = true

  def inlinedName(columnName: String): String = columnName

  def inlinedTables(table: TableId): Sql = Dialect.registered(this, table)

  def mostColumns: Int = 2000

  def ownSchema: Option[OwnSchema] = None

  /** The write-ahead log still has the old pages. */
  def vacuum(tables: Vector[String]): Either[String, Vector[VacuumStep]] =
    Right(Vector(VacuumStep(sql"VACUUM"), VacuumStep(sql"PRAGMA wal_checkpoint(TRUNCATE)")))

  def moment(bind: Bind.Moment): Sql = sql"$bind"

  /** Texts sort like times when they have one form: in UTC, without zeros at the fraction's end. */
  def isUnsorted(time: Identifier): Option[Sql] =
    Some(sql"($time NOT LIKE '____-__-__ __:__:__%+00' OR $time LIKE '%.%0+00')")

  def lockOutCommits: Option[Sql] = None

  def awaitTurn: Option[Sql] = None

  def existsNow(table: String): Option[Sql] = None

  def clock: Option[Sql] = None

  def storedOrder: Option[StoredOrder] = Some(ByRowId)

  private object ByRowId extends StoredOrder {
    def end(table: MetadataTable): Sql =
      sql"SELECT COALESCE(MAX(rowid), 0) + 1 FROM ${SqliteDialect.table(table)}"

    def isWithin(alias: String, from: Long, until: Long): Sql = {
      val row = Sql.identifier(alias)
      sql"$row.rowid >= $from AND $row.rowid < $until"
    }

    def rowsEach: Int = 1
  }

  def columnNames(tables: Vector[String]): Sql =
    sql"""SELECT entry.name, own.name
         |FROM sqlite_master AS entry, pragma_table_info(entry.name) AS own
         |WHERE entry.type = 'table' AND entry.name IN (${Sql.list(
        tables.map(name => name: SqlPart)
      )})
         |ORDER BY entry.name, own.cid"""

  def inlinedColumn(name: Identifier, lakeType: LakeType): InlinedSelection =
    InlinedSelection.Plain(sql"$name")

  def inlinedWhole(name: Identifier): Sql = sql"$name"

  /** A text may be stored as bytes, so the bytes are compared. */
  def inlinedText(name: Identifier, text: String): Option[(Sql, Sql)] =
    Some((sql"CAST($name AS BLOB)", sql"CAST($text AS BLOB)"))

  private[sql] def boundTexts: BoundTexts = SqliteBoundTexts
}
