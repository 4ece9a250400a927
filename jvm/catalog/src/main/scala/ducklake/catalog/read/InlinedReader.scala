package ducklake.catalog.read

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Row
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.sql.InlinedSelection
import ducklake.catalog.sql.InlinedSql
import ducklake.catalog.sql.Sql
import ducklake.catalog.types.Defaults
import ducklake.catalog.types.InlineCodec
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.Promotion

/** Reads the rows of a table that are kept in the catalog, from all of its inlined tables, each of
  * which has the columns of its schema version.
  *
  * Source: format 7.2.
  */
final class InlinedReader(database: Database) {

  /** Rows with the values of `columns`, by row id. */
  def rows(head: CatalogHead, table: LakeTable, columns: Vector[Column]): Vector[InlinedRow] =
    database.consistent(s"read the inlined rows of ${table.qualifiedName}") { session =>
      val sql = new InlinedSql(database.dialect, head.version)
      val tables =
        session.query(sql.tables(table.id))(row => InlinedTable(row.text(1), row.long(2)))
      if (tables.isEmpty) Vector.empty
      else {
        val shapes = new InlinedShapes(session, database.dialect, head.version, table.id)
        tables
          .flatMap(inlined => read(session, sql, head, inlined, shapes.of(inlined), columns))
          .sortBy(row => (row.rowId, row.begin.value))
      }
    }

  private def read(
      session: Session,
      sql: InlinedSql,
      head: CatalogHead,
      inlined: InlinedTable,
      shape: Vector[Column],
      columns: Vector[Column],
  ): Vector[InlinedRow] = {
    val byId = shape.map(column => column.id -> column).toMap
    val stored = columns.flatMap(column => byId.get(column.id)).distinct
    val selections = stored.map(select)
    val sources = columns.map(source(_, byId, stored, selections))
    session.query(sql.rows(inlined.name, head.snapshot.id, selections)) { row =>
      InlinedRow(inlined.name, row.long(1), SnapshotId(row.long(2)), sources.map(_(row)))
    }
  }

  private def select(column: Column): InlinedSelection =
    database.dialect.inlinedColumn(Sql.identifier(column.name), column.dataType)

  /** How the value of a column is made of a row. */
  private def source(
      column: Column,
      byId: Map[ColumnId, Column],
      stored: Vector[Column],
      selections: Vector[InlinedSelection],
  ): Row => Literal = byId.get(column.id) match {
    case None =>
      val default = orThrow(Defaults.initial(column))
      _ => default
    case Some(earlier) =>
      val at = stored.indexOf(earlier)
      row => orThrow(decode(row, at + 3, earlier, selections(at)).flatMap(cast(_, earlier, column)))
  }

  private def cast(value: Literal, from: Column, to: Column): Either[LakeError, Literal] =
    Promotion.cast(value, from, to)

  private def decode(
      row: Row,
      at: Int,
      column: Column,
      selection: InlinedSelection,
  ): Either[LakeError, Literal] = selection match {
    case InlinedSelection.Plain(_) => InlineCodec.decode(row.stored(at), column)
    case InlinedSelection.ListOfOne(_) =>
      InlineCodec.decode(row.stored(at), InlinedReader.listOf(column)).map {
        case Literal.ListValue(Vector(only)) => only
        case _ => Literal.Null
      }
  }

  private def orThrow(value: Either[LakeError, Literal]): Literal =
    value.fold(error => throw new LakeException(error), identity)
}

private object InlinedReader {

  private def listOf(column: Column): Column =
    column.copy(dataType = LakeType.ListType, children = Vector(column))
}
