package ducklake.catalog.types.expression

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.text.ValueText

/** The kind of value of a default expression. The kinds distinguish values for which the engines
  * differ: DuckDB rounds a fraction that becomes an integer and Spark cuts it off, a division of
  * decimals is a DOUBLE in DuckDB and a DECIMAL in Spark, and fractions and instants become
  * different texts.
  *
  * Source: DuckDB 1.5.5, observed, tests/e2e/test_defaults.py.
  */
private[expression] sealed trait DefaultKind

private[expression] object DefaultKind {

  /** @param digits how many digits the number has at most */
  final case class Whole(digits: Int) extends DefaultKind

  /** @param digits how many digits the number has at most, digits of the fraction included */
  final case class Decimal(digits: Int) extends DefaultKind

  case object Double extends DefaultKind
  case object Single extends DefaultKind

  /** A value that is not a number. */
  final case class Other(lakeType: LakeType.Primitive) extends DefaultKind

  val Text: DefaultKind = Other(LakeType.Varchar)

  def of(lakeType: LakeType.Primitive): DefaultKind =
    lakeType match {
      case LakeType.Float32 => Single
      case LakeType.Float64 => Double
      case LakeType.Decimal(precision, _) => Decimal(precision)
      case LakeType.Int8 => Whole(byteDigits)
      case LakeType.Int16 => Whole(shortDigits)
      case LakeType.Int32 => Whole(intDigits)
      case whole if isInteger(whole) => Whole(longDigits)
      case other => Other(other)
    }

  def isInteger(lakeType: LakeType.Primitive): Boolean = ValueText.integer(0, lakeType).nonEmpty

  /** The kind of the result in both engines; None when the engines differ. */
  def ofOperation(left: DefaultKind, operator: String, right: DefaultKind): Option[DefaultKind] =
    operator match {
      case "||" => Option.when(isSameText(left) && isSameText(right))(Text)
      case "/" => ofDivision(left, right)
      case _ => ofArithmetic(left, operator, right)
    }

  private def ofDivision(left: DefaultKind, right: DefaultKind): Option[DefaultKind] =
    (left, right) match {
      case (Whole(_), Whole(_)) => Some(Double)
      case (Double, other) if isSameDouble(other) => Some(Double)
      case (other, Double) if isSameDouble(other) => Some(Double)
      case _ => None
    }

  private def ofArithmetic(
      left: DefaultKind,
      operator: String,
      right: DefaultKind,
  ): Option[DefaultKind] =
    (left, right) match {
      case (Whole(before), Whole(behind)) => Some(Whole(before + behind + 1))
      case (Whole(before), Decimal(behind)) => ofDecimals(before, behind)
      case (Decimal(before), Whole(behind)) => ofDecimals(before, behind)
      case (Decimal(before), Decimal(behind)) => ofDecimals(before, behind)
      case (Double, other) if isSameDouble(other) => Some(Double)
      case (other, Double) if isSameDouble(other) => Some(Double)
      case (day @ Other(LakeType.Date), Whole(_)) if operator == "+" || operator == "-" => Some(day)
      case _ => None
    }

  /** Spark drops digits of a result with more than 38. */
  private def ofDecimals(before: Int, behind: Int): Option[DefaultKind] = {
    val digits = before + behind + 1
    Option.when(digits <= decimalDigits)(Decimal(digits))
  }

  /** Whether a cast to the type, or storing in a column of it, gives the same in both engines. */
  def isSameAs(kind: DefaultKind, to: LakeType.Primitive): Boolean =
    to match {
      case _ if kind == Other(LakeType.NullType) => true
      case LakeType.Varchar => isSameText(kind)
      case LakeType.Float64 => isSameDouble(kind) || kind == Single
      case LakeType.Float32 => isSameSingle(kind)
      case LakeType.Decimal(_, _) => isExact(kind)
      case LakeType.Bool => isNumber(kind) || kind == Other(LakeType.Bool)
      case whole if isInteger(whole) => isWhole(kind) || kind == Other(LakeType.Bool)
      case other => isSameOther(kind, other)
    }

  private def isSameOther(kind: DefaultKind, to: LakeType.Primitive): Boolean =
    kind match {
      case Other(LakeType.Varchar) => to == LakeType.Json
      case Other(LakeType.Date | LakeType.Timestamp | LakeType.TimestampTz) => isDateOrTime(to)
      case Other(same) => same == to
      case _ => false
    }

  private def isDateOrTime(lakeType: LakeType.Primitive): Boolean =
    lakeType match {
      case LakeType.Date | LakeType.Timestamp | LakeType.TimestampTz => true
      case LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs => true
      case LakeType.TimestampTzNs => true
      case _ => false
    }

  private def isSameText(kind: DefaultKind): Boolean =
    kind match {
      case Other(LakeType.Varchar | LakeType.Bool | LakeType.Date) => true
      case other => isWhole(other)
    }

  /** The engines convert longer decimals differently. */
  def isSameDouble(kind: DefaultKind): Boolean =
    kind match {
      case Decimal(digits) => digits <= doubleDigits
      case other => isWhole(other) || other == Double
    }

  private def isSameSingle(kind: DefaultKind): Boolean =
    kind match {
      case Decimal(digits) => digits <= singleDigits
      case other => isNumber(other)
    }

  private def isExact(kind: DefaultKind): Boolean =
    kind match {
      case Whole(_) | Decimal(_) => true
      case _ => false
    }

  private def isWhole(kind: DefaultKind): Boolean =
    kind match {
      case Whole(_) => true
      case _ => false
    }

  def isNumber(kind: DefaultKind): Boolean =
    kind match {
      case Whole(_) | Decimal(_) | Double | Single => true
      case Other(_) => false
    }

  private val singleDigits = 7
  private val doubleDigits = 15
  private val byteDigits = 3
  private val shortDigits = 5
  private val intDigits = 10
  private val longDigits = 19
  private val decimalDigits = 38
}
