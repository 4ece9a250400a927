package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator

/** How a catalog database reads the texts of stored bounds. Each expression is NULL for a text that
  * is not spelled in the usual way, also where the text has a value, so that a condition on it decides
  * nothing. None of them fails, whatever the text is.
  */
trait BoundTexts {

  /** A number of at most 64 bits, as a number.
    *
    * @param greatest of the column's signed type
    */
  def whole(text: Sql, greatest: Long): Sql

  /** A date of the years 1 to 9999 as the text `2026-01-31`. */
  def date(text: Sql): Sql

  /** A moment of the years 1 to 9999 as the text `2026-01-31 12:30:00.5`, without zeros at the end of
    * the fraction.
    *
    * @param zone follows it: nothing, or `+00`
    */
  def timestamp(text: Sql, zone: String): Sql

  /** A text that is compared by its bytes in UTF-8. */
  def bytewise(text: Sql): Sql

  /** A bound text, to compare with dates, moments and texts. */
  def value(text: String): Sql
}

private[sql] object BoundTexts {

  /** Whether the text of a whole number is in the range of its type. Negative numbers with as many
    * digits as the greatest number count as unusual.
    *
    * @param text is compared by its bytes
    */
  def isWithin(text: Sql, greatest: Long): Sql = {
    val most = greatest.toString
    val length = most.length.toLong
    sql"(LENGTH($text) < $length OR LENGTH($text) = $length AND $text <= $most)"
  }

  /** Whether the years 1 to 9999 are written in four digits. */
  def hasYear(text: Sql): Sql =
    sql"SUBSTR($text, 5, 1) = '-' AND SUBSTR($text, 1, 4) <> '0000'"
}

/** PostgreSQL. A cast fails for other texts, so the form is looked at first, and without regular
  * expressions for most texts, which would take several times as long.
  */
private[sql] object PostgresBoundTexts extends BoundTexts {

  def whole(text: Sql, greatest: Long): Sql =
    sql"""CASE WHEN $text <> '' AND ${BoundTexts.isWithin(ordered(text), greatest)}
         |  AND (${marks(text)} = '' OR $text ~ '^-[0-9]+$$')
         |  THEN CAST($text AS bigint) END"""

  def date(text: Sql): Sql =
    sql"""CASE WHEN $text LIKE '____-__-__' AND ${marks(text)} = '--' AND ${isDate(text)}
         |  THEN $text END"""

  def timestamp(text: Sql, zone: String): Sql = {
    val (whole, broken) = (s"-- ::$zone".filterNot(_.isDigit), s"-- ::.$zone".filterNot(_.isDigit))
    val (like, fraction) = (s"____-__-__ __:__:__$zone", s"____-__-__ __:__:__._%$zone")
    sql"""CASE WHEN ${isDate(text)} AND SUBSTR($text, 12, 2) <= '23'
         |  AND SUBSTR($text, 15, 2) <= '59' AND SUBSTR($text, 18, 2) <= '59'
         |  AND ($text LIKE $like AND ${marks(text)} = $whole
         |    OR $text LIKE $fraction AND ${marks(text)} = $broken
         |      AND $text NOT LIKE ${s"%0$zone"} AND LENGTH($text) <= ${26L + zone.length})
         |  THEN $text END"""
  }

  /** NULL in a database of another encoding, whose bytes may have another order. */
  def bytewise(text: Sql): Sql = {
    val isUnicode = sql"(SELECT current_setting('server_encoding')) = 'UTF8'"
    sql"CASE WHEN $isUnicode THEN ${ordered(text)} END"
  }

  def value(text: String): Sql = ordered(sql"$text")

  private def ordered(text: Sql): Sql = sql"""$text COLLATE ${Sql.identifier("C")}"""

  private def marks(text: Sql): Sql = sql"TRANSLATE($text, '0123456789', '')"

  /** Whether a text of digits and hyphens begins with a day of the calendar. The 29th of February
    * counts as unusual.
    */
  private def isDate(text: Sql): Sql = {
    val (month, day) = (sql"SUBSTR($text, 6, 2)", sql"SUBSTR($text, 9, 2)")
    sql"""${BoundTexts.hasYear(text)} AND $month BETWEEN '01' AND '12' AND $day >= '01'
         |  AND ($day <= '28' OR $day <= '30' AND $month <> '02'
         |    OR $day = '31' AND $month NOT IN ('02', '04', '06', '09', '11'))"""
  }
}

/** SQLite, whose casts and functions never fail, and give the same text back only for usual texts. */
private[sql] object SqliteBoundTexts extends BoundTexts {

  def whole(text: Sql, greatest: Long): Sql =
    sql"""CASE WHEN CAST(CAST($text AS INTEGER) AS TEXT) = $text
         |  AND ${BoundTexts.isWithin(text, greatest)} THEN CAST($text AS INTEGER) END"""

  def date(text: Sql): Sql =
    sql"""CASE WHEN LENGTH($text) = 10 AND DATE($text) = $text AND ${BoundTexts.hasYear(text)}
         |  THEN $text END"""

  def timestamp(text: Sql, zone: String): Sql = {
    val (short, long) = (19L + zone.length, 26L + zone.length)
    val second = sql"SUBSTR($text, 1, 19)"
    val digits = sql"SUBSTR($text, 21, LENGTH($text) - ${20L + zone.length})"
    sql"""CASE WHEN DATETIME($second) = $second AND ${BoundTexts.hasYear(text)}
         |  AND SUBSTR($text, 12, 2) <= '23'
         |  AND $text LIKE ${s"%$zone"}
         |  AND (LENGTH($text) = $short OR SUBSTR($text, 20, 1) = '.'
         |    AND LENGTH($text) BETWEEN ${short + 2} AND $long
         |    AND $digits NOT GLOB '*[^0-9]*' AND $digits NOT LIKE '%0')
         |  THEN $text END"""
  }

  /** NULL in a database of another encoding, whose bytes have another order. */
  def bytewise(text: Sql): Sql =
    sql"CASE WHEN (SELECT encoding FROM pragma_encoding) = 'UTF-8' THEN $text END"

  def value(text: String): Sql = sql"$text"
}

/** DuckDB, whose TRY_CAST never fails; the value is printed as the text only for usual texts, and for
  * moments before Christ.
  */
private[sql] object DuckDbBoundTexts extends BoundTexts {

  def whole(text: Sql, greatest: Long): Sql =
    sql"""CASE WHEN CAST(TRY_CAST($text AS BIGINT) AS VARCHAR) = $text
         |  AND ${BoundTexts.isWithin(text, greatest)} THEN TRY_CAST($text AS BIGINT) END"""

  def date(text: Sql): Sql =
    sql"""CASE WHEN LENGTH($text) = 10 AND CAST(TRY_CAST($text AS DATE) AS VARCHAR) = $text
         |  AND ${BoundTexts.hasYear(text)} THEN $text END"""

  def timestamp(text: Sql, zone: String): Sql = {
    val local = sql"SUBSTR($text, 1, LENGTH($text) - ${zone.length.toLong})"
    sql"""CASE WHEN $text LIKE ${s"%$zone"} AND $text NOT LIKE '%(%'
         |  AND ${BoundTexts.hasYear(text)}
         |  AND CAST(TRY_CAST($local AS TIMESTAMP) AS VARCHAR) = $local THEN $text END"""
  }

  def bytewise(text: Sql): Sql = text

  def value(text: String): Sql = sql"$text"
}
