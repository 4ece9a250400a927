package ducklake.catalog.types.expression

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.binary.Wkt
import ducklake.catalog.types.text.ValueText
import ducklake.catalog.types.text.WrittenText

/** A part of a default expression of DuckDB, in Spark SQL that gives the same value.
  *
  * @param constant DuckDB's text of the value; None where the part is more than one constant
  */
private[expression] final case class DefaultTerm(
    sql: String,
    kind: DefaultKind,
    constant: Option[String],
) {
  import DefaultTerm.*

  /** The operation with this part on the left; None when Spark has no such operation. */
  def operation(operator: String, right: DefaultTerm): Option[DefaultTerm] =
    operator match {
      case "||" => combined(asText, operator, right.asText)
      case "/" => combined(asDouble, operator, right.asDouble)
      case _ => combined(this, operator, right)
    }

  def negated: Option[DefaultTerm] =
    Option.when(DefaultKind.isNumber(kind))(DefaultTerm(s"-$sql", kind, None))

  /** A cast to the type as DuckDB does it; None when Spark has no such cast. */
  def castTo(to: LakeType.Primitive): Option[DefaultTerm] =
    if (isText && constant.nonEmpty)
      constant.flatMap(ofText(_, to))
    else if (to == LakeType.Varchar && constant.nonEmpty) Some(asText)
    else
      for {
        converted <- convertedTo(to)
        name <- typeName(to)
      } yield DefaultTerm(s"CAST($converted AS $name)", DefaultKind.of(to), None)

  /** The value that is stored in a column of the type, as DuckDB converts it. Spark converts few
    * default expressions itself, so the type is named.
    */
  def storedAs(to: LakeType.Primitive): Option[String] =
    if (constant.nonEmpty && (isText || to == LakeType.Varchar)) castTo(to).map(_.sql)
    else
      convertedTo(to).map { converted =>
        if (converted == sql && isOfType(to)) sql
        else columnType(to).fold(converted)(name => s"CAST($converted AS $name)")
      }

  /** Whether Spark takes the expression for a column of the type as it is. */
  private def isOfType(to: LakeType.Primitive): Boolean =
    kind match {
      case DefaultKind.Other(LakeType.NullType) => true
      case _ if isNarrow(to) => false
      case DefaultKind.Whole(digits) if DefaultKind.isInteger(to) && digits <= sureIntDigits => true
      case same => same == DefaultKind.of(to)
    }

  /** DuckDB rounds decimals half away from zero, and floats to the nearest even integer. Floats
    * that become decimals are multiplied first.
    */
  private def convertedTo(to: LakeType.Primitive): Option[String] =
    (kind, to) match {
      case _ if DefaultKind.isSameAs(kind, to) => Some(sql)
      case (DefaultKind.Decimal(_), whole) if DefaultKind.isInteger(whole) =>
        Some(s"round($sql, 0)")
      case (DefaultKind.Double | DefaultKind.Single, whole) if DefaultKind.isInteger(whole) =>
        Some(s"rint($sql)")
      case (DefaultKind.Double, LakeType.Decimal(precision, scale)) if precision <= exactDigits =>
        val unit = java.math.BigDecimal.ONE.movePointLeft(scale).toPlainString
        Some(s"CAST(round(($sql) * 1e${scale}D, 0) AS DECIMAL($precision,0)) * ${unit}BD")
      case _ => None
    }

  private def isText: Boolean = kind == DefaultKind.Text

  private def asText: DefaultTerm =
    constant.fold(this)(text => DefaultTerm(SqlLiteral.quoted(text), DefaultKind.Text, constant))

  private def asDouble: DefaultTerm =
    kind match {
      case DefaultKind.Decimal(_) if DefaultKind.isSameDouble(kind) =>
        DefaultTerm(s"CAST($sql AS DOUBLE)", DefaultKind.Double, None)
      case _ => this
    }
}

private[expression] object DefaultTerm {

  /** The constant; None when Spark has no such constant. DuckDB's text of an instant depends on the
    * session.
    */
  def ofConstant(value: Literal, lakeType: LakeType.Primitive): Option[DefaultTerm] = {
    val text = ValueText.print(value, lakeType).filterNot(_ => ValueText.hasZone(lakeType))
    SqlLiteral.print(value, lakeType).map(DefaultTerm(_, DefaultKind.of(lakeType), text))
  }

  /** The constant for a text that a user wrote, which DuckDB casts to the type; None when Spark has
    * no such constant.
    */
  def ofText(text: String, lakeType: LakeType.Primitive): Option[DefaultTerm] =
    lakeType match {
      case LakeType.Variant =>
        Some(
          DefaultTerm(
            s"CAST(${SqlLiteral.quoted(text)} AS VARIANT)",
            DefaultKind.of(lakeType),
            None,
          )
        )
      case LakeType.Geometry(_) =>
        Wkt.parse(text).flatMap(bytes => ofConstant(Literal.Bytes(bytes), lakeType))
      case _ =>
        WrittenText.parse(text, lakeType).flatMap {
          case WrittenText.Value(literal) => ofConstant(literal, lakeType)
          case WrittenText.LocalInstant(ticks) =>
            val sql = SqlLiteral.inSessionZone(ticks, lakeType)
            Some(DefaultTerm(sql, DefaultKind.of(lakeType), None))
        }
    }

  private def combined(
      left: DefaultTerm,
      operator: String,
      right: DefaultTerm,
  ): Option[DefaultTerm] =
    DefaultKind
      .ofOperation(left.kind, operator, right.kind)
      .map(DefaultTerm(s"${left.sql} $operator ${right.sql}", _, None))

  private val exactDigits = 15

  /** Whole numbers of so many digits are INT in Spark. */
  private val sureIntDigits = 9

  private def isNarrow(lakeType: LakeType.Primitive): Boolean =
    lakeType match {
      case LakeType.Int8 | LakeType.Int16 | LakeType.UInt8 | LakeType.Float32 => true
      case LakeType.Decimal(_, _) | LakeType.UInt64 | LakeType.Int128 | LakeType.UInt128 => true
      case _ => false
    }

  /** The Spark type of the type's columns, where a cast to it may be necessary. */
  private def columnType(lakeType: LakeType.Primitive): Option[String] =
    PartialFunction
      .condOpt(lakeType) {
        case LakeType.UInt8 => "SMALLINT"
        case LakeType.UInt16 => "INT"
        case LakeType.UInt32 => "BIGINT"
        case LakeType.UInt64 => "DECIMAL(20,0)"
        case LakeType.Int128 | LakeType.UInt128 => "DECIMAL(38,0)"
        case LakeType.TimestampS | LakeType.TimestampMs | LakeType.TimestampNs => "TIMESTAMP_NTZ"
        case LakeType.TimestampTzNs => "TIMESTAMP"
      }
      .orElse(typeName(lakeType))

  private def typeName(lakeType: LakeType.Primitive): Option[String] =
    PartialFunction.condOpt(lakeType) {
      case LakeType.Bool => "BOOLEAN"
      case LakeType.Int8 => "TINYINT"
      case LakeType.Int16 => "SMALLINT"
      case LakeType.Int32 => "INT"
      case LakeType.Int64 => "BIGINT"
      case LakeType.Float32 => "FLOAT"
      case LakeType.Float64 => "DOUBLE"
      case LakeType.Decimal(precision, scale) => s"DECIMAL($precision,$scale)"
      case LakeType.Varchar => "STRING"
      case LakeType.Date => "DATE"
      case LakeType.Timestamp => "TIMESTAMP_NTZ"
      case LakeType.TimestampTz => "TIMESTAMP"
    }
}
