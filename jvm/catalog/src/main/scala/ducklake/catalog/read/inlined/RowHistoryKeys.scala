package ducklake.catalog.read.inlined

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal
import ducklake.catalog.types.cast.Promotion
import ducklake.catalog.types.inlined.Defaults

/** The values that row versions have in key columns, in today's types.
  *
  * @param own the columns of the inlined table
  * @param keys today's columns, some of which the inlined table may lack
  */
private[read] final class RowHistoryKeys(own: Vector[Column], keys: Vector[Column]) {

  private val sources: Vector[(Vector[Literal], Boolean) => Option[Literal]] = keys.map { key =>
    own.indexWhere(_.id == key.id) match {
      case -1 =>
        val default = Some(orThrow(Defaults.initial(key)))
        (_, _) => default
      case at if Promotion.isNone(own(at), key) => (values, _) => Some(values(at))
      case at =>
        (values, hasEnded) =>
          if (hasEnded) Promotion.exact(values(at), own(at), key)
          else Some(orThrow(Promotion.cast(values(at), own(at), key)))
    }
  }

  /** @param values of the columns of the inlined table
    * @return None for a value of an ended version outside today's type
    *
    * Errors: InvalidValue for a value of a live version outside today's type.
    */
  def of(values: Vector[Literal], hasEnded: Boolean): Vector[Option[Literal]] =
    sources.map(_(values, hasEnded))

  private def orThrow(value: Either[LakeError, Literal]): Literal =
    value.fold(error => throw new LakeException(error), identity)
}
