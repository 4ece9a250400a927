package ducklake.catalog.types.expression

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.ValueText

/** A default expression that means the same in Spark and in DuckDB. */
sealed trait PortableDefault

object PortableDefault {

  /** A constant of a type, not NULL. */
  final case class Constant(value: Literal, lakeType: LakeType.Primitive) extends PortableDefault

  final case class Cast(term: PortableDefault, to: LakeType.Primitive) extends PortableDefault
  final case class Negated(term: PortableDefault) extends PortableDefault

  /** @param operator `+`, `-`, `*`, `/`, `%` or `||` */
  final case class Operation(left: PortableDefault, operator: String, right: PortableDefault)
      extends PortableDefault

  /** The current date or time. */
  final case class Moment(kind: MomentKind) extends PortableDefault

  /** @param sql the function in DuckDB's SQL
    */
  sealed abstract class MomentKind(val sql: String)

  object MomentKind {
    case object Date extends MomentKind("current_date")
    case object Instant extends MomentKind("current_timestamp")
    case object Now extends MomentKind("now()")
    case object LocalTime extends MomentKind("localtimestamp")
  }

  /** The text of a constant that DuckDB stores as a literal: a number or a text. None for other
    * expressions, which DuckDB stores as expressions, and for the text `NULL`, which would mean
    * that there is no default.
    */
  def literalText(term: PortableDefault): Option[String] =
    term match {
      case Constant(Literal.Text("NULL"), _) => None
      case Constant(value, lakeType) if isPlain(value) => ValueText.print(value, lakeType)
      case _ => None
    }

  /** The expression in DuckDB's SQL, as DuckDB prints it. None when a part has no form in DuckDB.
    *
    * Source: DuckDB 1.5.5, observed (format 2.4).
    */
  def print(term: PortableDefault): Option[String] =
    term match {
      case Constant(Literal.Text(value), _) if value != "NULL" => Some(quoted(value))
      case Constant(Literal.Bool(value), _) =>
        Some(s"CAST('${if (value) "t" else "f"}' AS BOOLEAN)")
      case Constant(value, lakeType) if isNumber(value) => ValueText.print(value, lakeType)
      case Constant(value, lakeType) =>
        ValueText.print(value, lakeType).map(text => cast(quoted(text), lakeType))
      case Cast(inner, to) => print(inner).map(cast(_, to))
      case Negated(inner) => print(inner).map(sql => s"-($sql)")
      case Operation(left, operator, right) =>
        for {
          before <- print(left)
          behind <- print(right)
        } yield s"($before $operator $behind)"
      case Moment(kind) => Some(kind.sql)
    }

  /** Whether the expression gives a column of the type the same value in both engines. */
  def isSameIn(term: PortableDefault, lakeType: LakeType.Primitive): Boolean =
    kindOf(term).exists(DefaultKind.isSameAs(_, lakeType))

  /** The kind of value of the expression; None where the engines differ, or may differ. */
  private def kindOf(term: PortableDefault): Option[DefaultKind] =
    term match {
      case Constant(value, lakeType) => kindOf(value, lakeType)
      case Cast(inner, to) =>
        kindOf(inner).filter(DefaultKind.isSameAs(_, to)).map(_ => DefaultKind.of(to))
      case Negated(inner) => kindOf(inner).filter(DefaultKind.isNumber)
      case Operation(left, operator, right) =>
        for {
          before <- kindOf(left)
          behind <- kindOf(right)
          kind <- DefaultKind.ofOperation(before, operator, behind)
        } yield kind
      case Moment(MomentKind.Date) => Some(DefaultKind.of(LakeType.Date))
      case Moment(MomentKind.LocalTime) => Some(DefaultKind.of(LakeType.Timestamp))
      case Moment(MomentKind.Instant | MomentKind.Now) =>
        Some(DefaultKind.of(LakeType.TimestampTz))
    }

  /** A number is printed without its type. DuckDB takes 0.5 as a decimal, and a small number as an
    * INTEGER.
    */
  private def kindOf(value: Literal, lakeType: LakeType.Primitive): Option[DefaultKind] =
    value match {
      case Literal.Floating(_) if isNumber(value) => None
      case Literal.Integral(number) if lakeType != LakeType.Int32 && number.isValidInt => None
      case _ => Some(DefaultKind.of(lakeType))
    }

  private def isPlain(value: Literal): Boolean =
    value match {
      case Literal.Text(_) => true
      case other => isNumber(other)
    }

  private def isNumber(value: Literal): Boolean =
    value match {
      case Literal.Integral(_) | Literal.BigIntegral(_) | Literal.Dec(_) => true
      case Literal.Floating(number) => !number.isNaN && !number.isInfinite
      case _ => false
    }

  private def quoted(text: String): String = "'" + text.replace("'", "''") + "'"

  private def cast(sql: String, to: LakeType.Primitive): String = s"CAST($sql AS ${typeName(to)})"

  private def typeName(lakeType: LakeType.Primitive): String =
    lakeType match {
      case LakeType.Bool => "BOOLEAN"
      case LakeType.Int8 => "\"TINYINT\""
      case LakeType.Int16 => "SMALLINT"
      case LakeType.Int32 => "INTEGER"
      case LakeType.Int64 => "BIGINT"
      case LakeType.Int128 => "\"HUGEINT\""
      case LakeType.UInt8 => "\"UTINYINT\""
      case LakeType.UInt16 => "\"USMALLINT\""
      case LakeType.UInt32 => "\"UINTEGER\""
      case LakeType.UInt64 => "\"UBIGINT\""
      case LakeType.UInt128 => "\"UHUGEINT\""
      case LakeType.Float32 => "FLOAT"
      case LakeType.Float64 => "\"DOUBLE\""
      case LakeType.Decimal(precision, scale) => s"DECIMAL($precision, $scale)"
      case LakeType.Date => "\"DATE\""
      case LakeType.Time => "TIME"
      case LakeType.TimeNs => "\"TIME_NS\""
      case LakeType.TimeTz => "\"TIME WITH TIME ZONE\""
      case LakeType.Timestamp => "TIMESTAMP"
      case LakeType.TimestampS => "\"TIMESTAMP_S\""
      case LakeType.TimestampMs => "\"TIMESTAMP_MS\""
      case LakeType.TimestampNs => "\"TIMESTAMP_NS\""
      case LakeType.TimestampTz => "\"TIMESTAMP WITH TIME ZONE\""
      case LakeType.TimestampTzNs => "\"TIMESTAMPTZ_NS\""
      case LakeType.Interval => "INTERVAL"
      case LakeType.Varchar => "VARCHAR"
      case LakeType.Json => "\"JSON\""
      case LakeType.Blob => "\"BLOB\""
      case LakeType.Uuid => "\"UUID\""
      case LakeType.Variant => "\"VARIANT\""
      case LakeType.NullType => "\"NULL\""
      case LakeType.Geometry(_) => "\"GEOMETRY\""
      case LakeType.Unknown(text) => "\"" + text + "\""
    }
}
