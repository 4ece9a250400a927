package ducklake.catalog.sql.write

import ducklake.catalog.model.Snapshot
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.MetadataTable
import ducklake.catalog.sql.PathValues
import ducklake.catalog.sql.RowIdTest
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.SqlPart
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import scala.collection.View

/** Statements that change metadata tables. */
final class WriteSql(dialect: Dialect, version: FormatVersion) {
  private val own = version.inlinedColumns

  /** Inserts a row for each object. Every column of the table has its value by name; columns that
    * the version of the catalog does not have are left out. One statement inserts some hundreds of
    * rows.
    *
    * Errors: IllegalArgumentException for a wrong or missing column.
    */
  def insert[A](table: MetadataTable, objects: Vector[A])(
      columns: (String, A => Bind)*
  ): Vector[Sql] = {
    val rows = MetadataRows.of[A](table, version)(columns: _*)
    insertInto(target(table, rows), objects.map(rows.row))
  }

  /** As [[insert]], for one row. */
  def insertRow(table: MetadataTable)(values: (String, Bind)*): Sql = {
    val columns = values.map { case (name, value) => (name, (_: Unit) => value) }
    insert(table, Vector(()))(columns: _*).head
  }

  /** Completes the row of a snapshot of which only the key was claimed. */
  def completeSnapshot(snapshot: Snapshot): Sql =
    sql"""UPDATE ${dialect.table(MetadataSchema.Snapshot)}
         |SET snapshot_time = ${Bind.Moment(snapshot.time)},
         |  schema_version = ${snapshot.schemaVersion},
         |  next_catalog_id = ${snapshot.nextCatalogId}, next_file_id = ${snapshot.nextFileId}
         |WHERE snapshot_id = ${snapshot.id}"""

  /** Ends the live rows of a table whose column `key` has one of the values. */
  def end(table: MetadataTable, key: String, values: Vector[Long], at: SnapshotId): Vector[Sql] =
    values.grouped(WriteSql.MostIds).toVector.map { some =>
      sql"""UPDATE ${dialect.table(table.name)}
           |SET end_snapshot = $at
           |WHERE end_snapshot IS NULL
           |  AND ${Sql.identifier(key)} IN (${Sql.list(some.map(value => value: SqlPart))})"""
    }

  /** As [[end]], for the rows of one holder: the holder's column must have the given value too. */
  def endWithin(
      table: MetadataTable,
      holder: (String, Long),
      key: String,
      values: Vector[Long],
      at: SnapshotId,
  ): Vector[Sql] =
    end(table, key, values, at).map { statement =>
      sql"$statement AND ${Sql.identifier(holder._1)} = ${holder._2}"
    }

  /** Ends live tags of an object (a table's, view's or schema's id). */
  def endTags(objectId: Long, keys: Vector[String], at: SnapshotId): Vector[Sql] =
    if (keys.isEmpty) Vector.empty
    else
      Vector(sql"""UPDATE ${dialect.table(MetadataSchema.Tag)}
                  |SET end_snapshot = $at
                  |WHERE end_snapshot IS NULL AND object_id = $objectId
                  |  AND "key" IN (${Sql.list(keys.map(key => key: SqlPart))})""")

  /** Ends all live rows of an inlined table. */
  def endInlined(inlinedTable: String, at: SnapshotId): Sql =
    sql"""UPDATE ${dialect.table(inlinedTable)}
         |SET ${own.end} = $at
         |WHERE ${own.end} IS NULL"""

  /** Ends all live rows of an inlined table of a dropped table, at the snapshot that dropped it.
    */
  def endInlinedAtDrop(inlinedTable: String, of: TableId): Sql =
    sql"""UPDATE ${dialect.table(inlinedTable)}
         |SET ${own.end} = (
         |  SELECT MAX(dropped.end_snapshot)
         |  FROM ${dialect.table(MetadataSchema.Table)} AS dropped
         |  WHERE dropped.table_id = $of)
         |WHERE ${own.end} IS NULL"""

  /** Ends live rows of an inlined table by row id. */
  def endInlinedRows(
      inlinedTable: String,
      rowIds: IndexedSeq[Long],
      at: SnapshotId,
  ): Vector[Sql] =
    RowIdTest.of(own.rowId, rowIds).map { test =>
      sql"""${endInlined(inlinedTable, at)}
           |  AND $test"""
    }

  /** Inserts rows into an inlined table: row id, begin, end, then the values of all columns in
    * order. Columns are matched by position, as in DuckDB, because their names in the database may
    * differ from the catalog's.
    */
  def insertInlined(inlinedTable: String, rows: Vector[Vector[SqlPart]]): Vector[Sql] =
    insertInto(dialect.table(inlinedTable), rows)

  private def target[A](table: MetadataTable, rows: MetadataRows[A]): Sql =
    sql"${dialect.table(table.name)} (${Sql.list(rows.columns.map(Sql.identifier))})"

  private def insertInto(target: Sql, rows: Vector[Vector[SqlPart]]): Vector[Sql] =
    rows.grouped(perStatement(rows.headOption.fold(1)(_.size))).toVector.map { some =>
      val tuples = some.map(row => sql"(${Sql.list(row)})")
      sql"""INSERT INTO $target
           |VALUES ${Sql.list(tuples)}"""
    }

  private def perStatement(width: Int): Int =
    math.max(1, math.min(WriteSql.MostRows, WriteSql.MostBinds / width))

  /** Like [[insert]] for rows of very many objects: each statement is created when it is needed, so
    * that memory holds one statement. The text is built once, because the texts of all rows are the
    * same; building it each time took a third of a commit of 100,000 files.
    *
    * @param objects iterated again each time that the statements are; a view keeps few in memory
    */
  def insertEach[A](table: MetadataTable, objects: Iterable[A])(
      columns: (String, A => Bind)*
  ): Iterable[Sql] = {
    val rows = MetadataRows.of[A](table, version)(columns: _*)
    val row = rows.columns.map(_ => "?").mkString("(", ", ", ")")
    val into =
      sql"""INSERT INTO ${target(table, rows)}
           |VALUES """
    val most = perStatement(rows.columns.size)
    val full = Vector.fill(most)(row).mkString(into.text, ", ", "")
    View.fromIteratorProvider(() =>
      objects.iterator.grouped(most).map { some =>
        val text =
          if (some.size == most) full else some.map(_ => row).mkString(into.text, ", ", "")
        Sql(text, some.iterator.flatMap(rows.row).toVector)
      }
    )
  }

  /** Creates the metadata table for the inlined deletes of a table. */
  def createInlinedDeletes(name: String): Sql =
    sql"CREATE TABLE ${dialect.table(name)} (file_id BIGINT, row_id BIGINT, begin_snapshot BIGINT)"

  def insertInlinedDeletes(
      name: String,
      positions: Vector[(DataFileId, Long)],
      at: SnapshotId,
  ): Vector[Sql] =
    positions.grouped(WriteSql.MostRows).toVector.map { some =>
      val tuples = some.map { case (file, position) => sql"($file, $position, $at)" }
      sql"""INSERT INTO ${dialect.table(name)} (file_id, row_id, begin_snapshot)
           |VALUES ${Sql.list(tuples)}"""
    }

  /** Creates an inlined table with the given columns after the three columns that every inlined
    * table has.
    */
  def createInlined(inlinedTable: String, columns: Vector[(String, String)]): Sql = {
    val declared = columns.map { case (name, declaration) =>
      s"${Sql.identifier(dialect.inlinedName(name)).quoted} $declaration"
    }
    val first = own.all.map(name => s"${name.text} BIGINT")
    val all = Sql((first ++ declared).mkString(", "), Vector.empty)
    sql"CREATE TABLE ${dialect.table(inlinedTable)} ($all)"
  }

  /** @param scope `schema` or `table`; None: the whole lake
    * @param id id of the schema or table
    */
  def deleteOption(key: String, scope: Option[String], id: Option[Long]): Sql = {
    val scopeFilter = (scope, id) match {
      case (Some(kind), Some(of)) => sql"scope = $kind AND scope_id = $of"
      case _ => sql"scope IS NULL"
    }
    sql"""DELETE FROM ${dialect.table(MetadataSchema.Metadata)}
         |WHERE "key" = $key AND $scopeFilter"""
  }

  def updateOption(key: String, value: String, table: Long): Sql =
    sql"""UPDATE ${dialect.table(MetadataSchema.Metadata)}
         |SET "value" = $value
         |WHERE ${isOfTable(key, table)}"""

  def insertMissingOption(key: String, value: String, table: Long): Sql = {
    val options = dialect.table(MetadataSchema.Metadata)
    sql"""INSERT INTO $options ("key", "value", scope, scope_id)
         |SELECT CAST($key AS VARCHAR), CAST($value AS VARCHAR), 'table', CAST($table AS BIGINT)
         |WHERE NOT EXISTS (SELECT 1 FROM $options WHERE ${isOfTable(key, table)})"""
  }

  private def isOfTable(key: String, table: Long): Sql =
    sql""""key" = $key AND scope = 'table' AND scope_id = $table"""

  def deleteColumnStats(table: Long, columns: Vector[Long]): Vector[Sql] =
    columns.grouped(WriteSql.MostRows).toVector.map { some =>
      sql"""DELETE FROM ${dialect.table(MetadataSchema.TableColumnStats)}
           |WHERE table_id = $table
           |  AND column_id IN (${Sql.list(some.map(id => id: SqlPart))})"""
    }

  /** Changes the value of a partition key in some files. */
  def setPartitionValue(
      table: Long,
      key: Int,
      value: Option[String],
      files: Vector[Long],
  ): Vector[Sql] =
    files.grouped(WriteSql.MostIds).toVector.map { some =>
      sql"""UPDATE ${dialect.table(MetadataSchema.FilePartitionValue)}
           |SET partition_value = ${Bind.ofText(value)}
           |WHERE table_id = $table AND partition_key_index = $key
           |  AND data_file_id IN (${Sql.list(some.map(id => id: SqlPart))})"""
    }

  /** Removes the bounds of columns in the statistics of existing files, except values of a file's
    * path.
    */
  def removeFileBounds(table: Long, columns: Vector[Long]): Vector[Sql] =
    columns.grouped(WriteSql.MostRows).toVector.map { some =>
      sql"""UPDATE ${dialect.table(MetadataSchema.FileColumnStats)} AS bounds
           |SET min_value = NULL, max_value = NULL$withoutFlags
           |WHERE table_id = $table
           |  AND column_id IN (${Sql.list(some.map(id => id: SqlPart))})
           |  AND ${PathValues.areNotThese(dialect)}"""
    }

  private def withoutFlags: Sql =
    if (version.hasExactBounds) sql", min_is_exact = NULL, max_is_exact = NULL" else Sql.empty

  /** @param records None: unknown before and after */
  def updateTableStats(table: Long, records: Option[Long], nextRowId: Long, bytes: Long): Sql =
    sql"""UPDATE ${dialect.table(MetadataSchema.TableStats)}
         |SET record_count = ${Bind.of(records)}, next_row_id = $nextRowId,
         |  file_size_bytes = $bytes
         |WHERE table_id = $table"""

  /** Adds to the size of a table, after its files were inserted and ended. An unknown size becomes
    * the size of all live files.
    */
  def growTable(table: TableId, bytes: Long): Sql =
    sql"""UPDATE ${dialect.table(MetadataSchema.TableStats)}
         |SET file_size_bytes = COALESCE(file_size_bytes + $bytes, (
         |  SELECT COALESCE(SUM(data.file_size_bytes), 0)
         |  FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |  WHERE data.table_id = $table AND data.end_snapshot IS NULL))
         |WHERE table_id = $table"""

  /** Marks the bounds of a table as inexact, because rows were deleted. None in versions that do
    * not record it.
    */
  def boundsMayBeGone(table: TableId): Option[Sql] =
    Option.when(version.hasExactBounds)(
      sql"""UPDATE ${dialect.table(MetadataSchema.TableColumnStats)}
           |SET min_is_exact = CASE WHEN min_is_exact IS NOT NULL THEN ${Bind.Flag(false)} END,
           |  max_is_exact = CASE WHEN max_is_exact IS NOT NULL THEN ${Bind.Flag(false)} END
           |WHERE table_id = $table"""
    )

  /** Ends the live comments on columns of a view; no statement when the version has no comments on
    * columns of views.
    */
  def endViewColumnTags(view: Long, at: SnapshotId): Vector[Sql] =
    if (version.hasViewColumnTags)
      end(MetadataSchema.ViewColumnTag, "view_id", Vector(view), at)
    else Vector.empty
}

private object WriteSql {

  /** Number of bound values in a statement, within the limits of all databases. */
  private val MostBinds = 16000
  private[write] val MostRows = 500

  /** The number of ids in one statement. Most metadata tables have no index, so each statement
    * reads all of the table.
    */
  private[write] val MostIds = 5000
}
