package ducklake.catalog.read.inlined

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Row
import ducklake.catalog.listing.InlinedTable
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.InlinedSelection
import ducklake.catalog.sql.Sql
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.cast.RowPromotion
import ducklake.catalog.types.inlined.InlineCodec

/** The select list for an inlined table, and the conversion of its rows to values of columns.
  *
  * @param inlinedColumns the columns of the inlined table according to the catalog
  * @param columns the requested columns in their present form: they may have been promoted, renamed
  *   or added since
  * @param first the position of the first selected value in a row
  *
  * Source: format 7.2.
  */
private[read] final class InlinedValues(
    dialect: Dialect,
    inlined: InlinedTable,
    inlinedColumns: Vector[Column],
    columns: Vector[Column],
    first: Int,
) {
  private val byId: Map[ColumnId, Column] = inlinedColumns.map(column => column.id -> column).toMap
  private val stored: Vector[Column] = columns.flatMap(column => byId.get(column.id)).distinct

  val selections: Vector[InlinedSelection] = {
    val names = inlinedColumns.map(_.id).zip(inlined.columnNames(inlinedColumns)).toMap
    stored.map { column =>
      dialect.inlinedColumn(Sql.identifier(names(column.id)), column.dataType)
    }
  }

  private val promotion = new RowPromotion(stored, columns)

  /** Errors: InvalidValue for a value that cannot be read. */
  def of(row: Row): Vector[Literal] = {
    val decoded = stored.zipWithIndex.map { case (column, at) =>
      orThrow(decode(row, at + first, column, selections(at)))
    }
    orThrow(promotion.of(decoded))
  }

  private def decode(
      row: Row,
      at: Int,
      column: Column,
      selection: InlinedSelection,
  ): Either[LakeError, Literal] = selection match {
    case InlinedSelection.Plain(_) => InlineCodec.decode(row.stored(at), column)
    case InlinedSelection.ListOfOne(_) =>
      InlineCodec.decode(row.stored(at), InlinedValues.listOf(column)).flatMap {
        case Literal.ListValue(Vector(only)) => Right(only)
        case Literal.Null => Right(Literal.Null)
        case other =>
          val why = s"the inlined value was asked for as a list of one, and is $other"
          Left(LakeError.CorruptCatalog(s"column `${column.name}`", why))
      }
  }

  private def orThrow[A](value: Either[LakeError, A]): A =
    value.fold(error => throw new LakeException(error), identity)
}

private object InlinedValues {

  private def listOf(column: Column): Column =
    column.copy(dataType = LakeType.ListType, children = Vector(column))
}
