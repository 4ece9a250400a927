package ducklake.catalog.types.cast

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal
import ducklake.catalog.types.inlined.Defaults

/** Converts the values of rows when the columns of their table have changed since the rows were
  * written. Columns are matched by id: an added column takes its initial default, a dropped column
  * is left out, other columns are promoted.
  *
  * @param from the columns of the rows
  * @param to the later columns; their children may be pruned
  */
final class RowPromotion(from: Vector[Column], to: Vector[Column]) {

  private val sources: Vector[Vector[Literal] => Either[LakeError, Literal]] = to.map(source)

  /** The values of the later columns. Errors: InvalidValue for a value or a default that does not
    * fit.
    */
  def of(row: Vector[Literal]): Either[LakeError, Vector[Literal]] = {
    val start: Either[LakeError, Vector[Literal]] = Right(Vector.empty)
    sources.foldLeft(start)((done, source) =>
      done.flatMap(values => source(row).map(value => values :+ value))
    )
  }

  private def source(column: Column): Vector[Literal] => Either[LakeError, Literal] = {
    val at = from.indexWhere(_.id == column.id)
    if (at < 0) {
      val default = Defaults.initial(column)
      _ => default
    } else if (Promotion.isNone(from(at), column)) row => Right(row(at))
    else row => Promotion.cast(row(at), from(at), column)
  }
}
