package ducklake.catalog.types.cast

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.inlined.Defaults
import ducklake.catalog.types.text.ValueText

/** Promotes a value when its column's type has changed since the value was written. */
object Promotion {

  /** Converts a value of the column `from` to a value of the later column `to`. Children are
    * matched by id: renamed children keep their values, added children take their initial default,
    * dropped children are left out. A timestamp that becomes a `timestamptz` is taken as UTC.
    *
    * Errors: InvalidValue when the value does not fit, or when there is no promotion between the
    * types.
    *
    * Source: DuckDB 1.5.5, observed (format 11.2 and 11.3).
    */
  def cast(literal: Literal, from: Column, to: Column): Either[LakeError, Literal] =
    (literal, from.dataType, to.dataType) match {
      case (Literal.Null, _, _) => Right(Literal.Null)
      case (_, earlier: LakeType.Primitive, later: LakeType.Primitive) =>
        PrimitiveCast(literal, earlier, later).left.map(why => invalid(literal, from, to, why))
      case (Literal.ListValue(items), LakeType.ListType, LakeType.ListType) =>
        all(items.map(cast(_, from.children(0), to.children(0)))).map(Literal.ListValue(_))
      case (Literal.StructValue(fields), LakeType.StructType, LakeType.StructType) =>
        struct(fields, from, to)
      case (Literal.MapValue(entries), LakeType.MapType, LakeType.MapType) =>
        all(entries.map(entry(_, from, to))).map(Literal.MapValue(_))
      case _ => Left(invalid(literal, from, to, "no promotion leads to this type"))
    }

  /** The value as a value of `to`, which may be an earlier type; None when `to` has the value only
    * rounded, or not at all.
    */
  def exact(literal: Literal, from: Column, to: Column): Option[Literal] =
    cast(literal, from, to).toOption.filter { now =>
      (number(literal), number(now)) match {
        case (Some(before), Some(after)) => before == after
        // Casts to a type of another kind cannot be reversed. They are exact except for numbers.
        case _ =>
          cast(now, to, from).forall { back =>
            back == literal || LiteralOrder.compare(back, literal).contains(0)
          }
      }
    }

  private def number(literal: Literal): Option[BigDecimal] =
    PartialFunction.condOpt(literal) {
      case Literal.Integral(value) => BigDecimal(value)
      case Literal.BigIntegral(value) => BigDecimal(value)
      case Literal.Dec(value) => BigDecimal(value)
      case Literal.Floating(value) if !value.isNaN && !value.isInfinite => BigDecimal.exact(value)
    }

  /** Whether every value of `from` is unchanged as a value of `to`. */
  def isNone(from: Column, to: Column): Boolean =
    from.dataType == to.dataType &&
      from.children.corresponds(to.children)((left, right) =>
        left.id == right.id && isNone(left, right)
      )

  private def struct(
      fields: Vector[Literal],
      from: Column,
      to: Column,
  ): Either[LakeError, Literal] = {
    val earlier =
      from.children.zip(fields).map { case (child, field) => child.id -> (child, field) }
    val byId = earlier.toMap
    all(to.children.map { child =>
      byId.get(child.id).fold(Defaults.initial(child)) { case (before, field) =>
        cast(field, before, child)
      }
    }).map(Literal.StructValue(_))
  }

  private def entry(
      entry: (Literal, Literal),
      from: Column,
      to: Column,
  ): Either[LakeError, (Literal, Literal)] =
    for {
      key <- cast(entry._1, from.children(0), to.children(0))
      value <- cast(entry._2, from.children(1), to.children(1))
    } yield (key, value)

  private def all[A](results: Vector[Either[LakeError, A]]): Either[LakeError, Vector[A]] =
    results
      .collectFirst { case Left(error) => Left(error) }
      .getOrElse(Right(results.flatMap(_.toSeq)))

  private def invalid(literal: Literal, from: Column, to: Column, why: String): LakeError = {
    val text = from.dataType match {
      case primitive: LakeType.Primitive => ValueText.print(literal, primitive)
      case _ => None
    }
    LakeError.InvalidValue(
      to.name,
      s"the ${TypeText.print(from.dataType)} ${text.getOrElse("value")}",
      TypeText.print(to.dataType),
      why,
    )
  }
}
