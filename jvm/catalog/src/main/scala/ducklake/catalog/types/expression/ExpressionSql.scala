package ducklake.catalog.types.expression

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.NumberText
import ducklake.catalog.types.text.TextScanner
import ducklake.catalog.types.text.TextScanner.Step

import java.util.Locale

/** Translates default expressions of DuckDB to Spark SQL. Only a closed list is translated:
  * constants, casts, simple arithmetic, text concatenation by `||`, and the current date and time.
  * DuckDB stores each operation in parentheses.
  */
private[expression] object ExpressionSql {

  /** The translation; None when some part is not on the list, or has no equal in Spark. */
  def translate(text: String): Option[DefaultTerm] = {
    val scan = new TextScanner(text)
    expression(scan, scan.skipBlanks(0), DeepestNesting).toOption.collect {
      case (term, end) if scan.skipBlanks(end) == text.length => term
    }
  }

  private val operators = Vector("||", "+", "-", "*", "/", "%")

  private val now = word("current_timestamp()", LakeType.TimestampTz)
  private val today = word("current_date()", LakeType.Date)
  private val localNow = word("localtimestamp()", LakeType.Timestamp)

  private val constants = Map(
    "null" -> word("NULL", LakeType.NullType),
    "true" -> word("TRUE", LakeType.Bool),
    "false" -> word("FALSE", LakeType.Bool),
    "current_date" -> today,
    "current_timestamp" -> now,
    "localtimestamp" -> localNow,
  )

  private val functions = Map(
    "now" -> now,
    "get_current_timestamp" -> now,
    "transaction_timestamp" -> now,
    "current_date" -> today,
    "today" -> today,
    "current_localtimestamp" -> localNow,
    "pi" -> word("pi()", LakeType.Float64),
  )

  private def word(sql: String, lakeType: LakeType.Primitive): DefaultTerm =
    DefaultTerm(sql, DefaultKind.of(lakeType), None)

  private val wordPattern = """[A-Za-z_][A-Za-z_0-9]*""".r
  private val numberPattern = """\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?""".r
  private val unknown = Left("not on the list")

  private def known(term: Option[DefaultTerm], end: Int): Step[DefaultTerm] =
    term.map((_, end)).toRight("no equal in Spark")

  /** @param room how many levels there may be below; each takes a part of the thread's stack */
  private def expression(scan: TextScanner, at: Int, room: Int): Step[DefaultTerm] =
    primary(scan, at, room).flatMap { case (left, end) =>
      val next = scan.skipBlanks(end)
      operators.find(operator => scan.text.startsWith(operator, next)) match {
        case Some("/") if scan.text.startsWith("//", next) => unknown
        case Some(operator) =>
          primary(scan, scan.skipBlanks(next + operator.length), room).flatMap {
            case (right, behind) =>
              known(left.operation(operator, right), behind)
          }
        case None => Right((left, end))
      }
    }

  private def primary(scan: TextScanner, at: Int, room: Int): Step[DefaultTerm] =
    scan.charAt(at) match {
      case _ if room == 0 => unknown
      case Some('\'') =>
        scan.sqlString(at).flatMap { case (text, end) =>
          known(DefaultTerm.ofConstant(Literal.Text(text), LakeType.Varchar), end)
        }
      case Some('-') if !scan.isAt(at + 1, '-') =>
        number(scan, at + 1, sign = "-").getOrElse {
          primary(scan, at + 1, room - 1).flatMap { case (term, end) => known(term.negated, end) }
        }
      case Some('(') => parenthesised(scan, at, room)
      case _ => number(scan, at, sign = "").orElse(cast(scan, at, room)).getOrElse(named(scan, at))
    }

  private def parenthesised(scan: TextScanner, at: Int, room: Int): Step[DefaultTerm] =
    for {
      inner <- expression(scan, scan.skipBlanks(at + 1), room - 1)
      (term, end) = inner
      behind <- scan.expect(end, ')')
    } yield (term.copy(sql = s"(${term.sql})"), behind)

  private def number(scan: TextScanner, at: Int, sign: String): Option[Step[DefaultTerm]] =
    prefix(scan, at, numberPattern).map { digits =>
      known(numberOf(sign + digits, digits.count(_.isDigit)), at + digits.length)
    }

  /** Integers of more digits would be decimals in Spark. */
  private def numberOf(text: String, digits: Int): Option[DefaultTerm] =
    if (text.exists(char => char == 'e' || char == 'E')) {
      val constant = NumberText.float64(text).map(NumberText.printFloat64)
      Some(DefaultTerm(text, DefaultKind.Double, constant))
    } else if (text.contains('.'))
      Option.when(digits <= decimalDigits)(
        DefaultTerm(text, DefaultKind.Decimal(digits), Some(text))
      )
    else
      Option.when(digits <= integerDigits)(DefaultTerm(text, DefaultKind.Whole(digits), Some(text)))

  private val DeepestNesting = 200
  private val integerDigits = 18
  private val decimalDigits = 38

  private def named(scan: TextScanner, at: Int): Step[DefaultTerm] =
    prefix(scan, at, wordPattern).fold[Step[DefaultTerm]](unknown) { name =>
      val lower = name.toLowerCase(Locale.ROOT)
      val end = scan.skipBlanks(at + name.length)
      if (scan.isAt(end, '(')) {
        val close = scan.skipBlanks(end + 1)
        if (scan.isAt(close, ')'))
          functions.get(lower).map((_, close + 1)).toRight("not on the list")
        else unknown
      } else constants.get(lower).map((_, at + name.length)).toRight("not on the list")
    }

  private def cast(scan: TextScanner, at: Int, room: Int): Option[Step[DefaultTerm]] =
    scan.keyword(at, "CAST(").map { open =>
      for {
        inner <- expression(scan, open, room - 1)
        (term, end) = inner
        as <- scan.keyword(scan.skipBlanks(end), "AS ").toRight("AS expected")
        name <- prefix(scan, as, SqlType.pattern).toRight("type expected")
        lakeType <- SqlType.stored(name).toRight("not on the list")
        behind <- scan.expect(as + name.length, ')')
        result <- known(term.castTo(lakeType), behind)
      } yield result
    }

  private def prefix(
      scan: TextScanner,
      at: Int,
      pattern: scala.util.matching.Regex,
  ): Option[String] =
    pattern.findPrefixOf(scan.text.substring(at))
}
