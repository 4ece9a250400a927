package ducklake.catalog.types

import ducklake.catalog.types.TextScanner.Step

import java.util.Locale

/** Translates default expressions of DuckDB to Spark SQL. Only a closed list is translated:
  * constants, casts, simple arithmetic, text concatenation by `||`, and the current date and time.
  */
private[types] object ExpressionSql {

  /** The translation; None when some part is not on the list. */
  def translate(text: String): Option[String] = {
    val scan = new TextScanner(text)
    expression(scan, scan.skipBlanks(0)).toOption.collect {
      case (sql, end) if scan.skipBlanks(end) == text.length => sql
    }
  }

  private val operators = Vector("||", "+", "-", "*", "/", "%")

  private val constants = Map(
    "null" -> "NULL",
    "true" -> "TRUE",
    "false" -> "FALSE",
    "current_date" -> "current_date()",
    "current_timestamp" -> "current_timestamp()",
    "localtimestamp" -> "localtimestamp()",
  )

  private val functions = Map(
    "now" -> "current_timestamp()",
    "get_current_timestamp" -> "current_timestamp()",
    "transaction_timestamp" -> "current_timestamp()",
    "current_date" -> "current_date()",
    "today" -> "current_date()",
    "current_localtimestamp" -> "localtimestamp()",
    "pi" -> "pi()",
  )

  private val wordPattern = """[A-Za-z_][A-Za-z_0-9]*""".r
  private val numberPattern = """\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?""".r
  private val typePattern =
    """(?:"([A-Za-z_ ]+)"|([A-Za-z_ ]+))\s*(\(\s*\d+\s*(?:,\s*\d+\s*)?\))?""".r

  private val unknown = Left("not on the list")

  private def expression(scan: TextScanner, at: Int): Step[String] =
    primary(scan, at).flatMap { case (left, end) =>
      val next = scan.skipBlanks(end)
      operators.find(operator => scan.text.startsWith(operator, next)) match {
        case Some("/") if scan.text.startsWith("//", next) => unknown
        case Some(operator) =>
          expression(scan, scan.skipBlanks(next + operator.length)).map { case (right, behind) =>
            (s"$left $operator $right", behind)
          }
        case None => Right((left, end))
      }
    }

  private def primary(scan: TextScanner, at: Int): Step[String] =
    scan.charAt(at) match {
      case Some('\'') =>
        scan.sqlString(at).map { case (text, end) => (SqlLiteral.quoted(text), end) }
      case Some('-') if !scan.isAt(at + 1, '-') =>
        primary(scan, at + 1).map { case (sql, end) => (s"-$sql", end) }
      case Some('(') => parenthesised(scan, at)
      case _ => number(scan, at).orElse(cast(scan, at)).getOrElse(word(scan, at))
    }

  private def parenthesised(scan: TextScanner, at: Int): Step[String] =
    for {
      inner <- expression(scan, scan.skipBlanks(at + 1))
      (sql, end) = inner
      behind <- scan.expect(end, ')')
    } yield (s"($sql)", behind)

  private def number(scan: TextScanner, at: Int): Option[Step[String]] =
    prefix(scan, at, numberPattern).map(digits => Right((digits, at + digits.length)))

  private def word(scan: TextScanner, at: Int): Step[String] =
    prefix(scan, at, wordPattern).fold[Step[String]](unknown) { name =>
      val lower = name.toLowerCase(Locale.ROOT)
      val end = scan.skipBlanks(at + name.length)
      if (scan.isAt(end, '(')) {
        val close = scan.skipBlanks(end + 1)
        if (scan.isAt(close, ')'))
          functions.get(lower).map((_, close + 1)).toRight("not on the list")
        else unknown
      } else constants.get(lower).map((_, at + name.length)).toRight("not on the list")
    }

  private def cast(scan: TextScanner, at: Int): Option[Step[String]] =
    scan.keyword(at, "CAST(").map { open =>
      for {
        inner <- expression(scan, open)
        (sql, end) = inner
        as <- scan.keyword(scan.skipBlanks(end), "AS ").toRight("AS expected")
        named <- prefix(scan, as, typePattern).toRight("type expected")
        known <- typeOf(named).toRight("not on the list")
        behind <- scan.expect(as + named.length, ')')
        result <- castTo(stringAt(scan, open, end), sql, known)
      } yield (result, behind)
    }

  /** The text of a string constant, when the part is nothing else. */
  private def stringAt(scan: TextScanner, from: Int, end: Int): Option[String] =
    Option.when(scan.isAt(from, '\''))(scan.sqlString(from)).flatMap {
      case Right((text, behind)) if behind == end => Some(text)
      case _ => None
    }

  private def castTo(
      text: Option[String],
      sql: String,
      lakeType: LakeType.Primitive,
  ): Either[String, String] =
    text match {
      case Some(value) =>
        ValueText
          .parseCast(value, lakeType)
          .flatMap(literal => SqlLiteral.print(literal, lakeType))
          .toRight("no such value")
      case None => sparkName(lakeType).map(name => s"CAST($sql AS $name)").toRight("no such type")
    }

  private def sparkName(lakeType: LakeType.Primitive): Option[String] =
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

  private def typeOf(text: String): Option[LakeType.Primitive] =
    typePattern.findPrefixMatchOf(text).flatMap { found =>
      val name = Option(found.group(1)).getOrElse(found.group(2)).trim.toUpperCase(Locale.ROOT)
      val arguments = Option(found.group(3)).map(_.filterNot(_.isWhitespace)).getOrElse("")
      if (name == "DECIMAL" || name == "NUMERIC")
        Some(TypeText.parse(s"decimal$arguments")).collect { case known: LakeType.Decimal => known }
      else if (arguments.isEmpty) duckDbTypes.get(name)
      else None
    }

  private val duckDbTypes: Map[String, LakeType.Primitive] = Map(
    "BOOLEAN" -> LakeType.Bool,
    "TINYINT" -> LakeType.Int8,
    "SMALLINT" -> LakeType.Int16,
    "INTEGER" -> LakeType.Int32,
    "BIGINT" -> LakeType.Int64,
    "HUGEINT" -> LakeType.Int128,
    "UTINYINT" -> LakeType.UInt8,
    "USMALLINT" -> LakeType.UInt16,
    "UINTEGER" -> LakeType.UInt32,
    "UBIGINT" -> LakeType.UInt64,
    "FLOAT" -> LakeType.Float32,
    "REAL" -> LakeType.Float32,
    "DOUBLE" -> LakeType.Float64,
    "VARCHAR" -> LakeType.Varchar,
    "BLOB" -> LakeType.Blob,
    "DATE" -> LakeType.Date,
    "TIME" -> LakeType.Time,
    "TIME WITH TIME ZONE" -> LakeType.TimeTz,
    "TIMESTAMP" -> LakeType.Timestamp,
    "TIMESTAMP_S" -> LakeType.TimestampS,
    "TIMESTAMP_MS" -> LakeType.TimestampMs,
    "TIMESTAMP_NS" -> LakeType.TimestampNs,
    "TIMESTAMP WITH TIME ZONE" -> LakeType.TimestampTz,
    "INTERVAL" -> LakeType.Interval,
    "UUID" -> LakeType.Uuid,
    "JSON" -> LakeType.Json,
  )

  private def prefix(
      scan: TextScanner,
      at: Int,
      pattern: scala.util.matching.Regex,
  ): Option[String] =
    pattern.findPrefixOf(scan.text.substring(at))
}
