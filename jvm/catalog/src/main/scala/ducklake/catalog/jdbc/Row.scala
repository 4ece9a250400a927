package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.inlined.StoredValue
import ducklake.catalog.types.text.InstantText
import ducklake.catalog.types.text.ValueText

import java.sql.ResultSet
import java.sql.Timestamp
import java.time.Instant
import java.time.LocalDateTime
import java.time.OffsetDateTime
import java.time.ZoneOffset
import java.util.UUID

/** The current row of a cursor, read by position (from 1) and type. A required value that is NULL,
  * or that has an unexpected type, is an error: the catalog is corrupt. The row is valid only
  * during the call that it is passed to.
  *
  * Errors: CorruptCatalog with the tables of the statement, the column, and the first value of the
  * row, which is an id in most statements.
  *
  * @param statement the text of the statement
  */
final class Row private[jdbc] (result: ResultSet, statement: String) {

  def longOption(at: Int): Option[Long] = {
    val value = result.getLong(at)
    if (isNull(value, at)) None else Some(value)
  }

  def long(at: Int): Long = {
    val value = result.getLong(at)
    if (isNull(value, at)) missing(at) else value
  }

  /** A number of rows or of bytes.
    *
    * Errors: CorruptCatalog when it is negative, or so large that no file has it.
    */
  def count(at: Int): Long = {
    val value = long(at)
    if (value >= 0 && value <= Row.MostOfFile) value
    else refuse(at, s"`$value` is out of range, 0 to ${Row.MostOfFile}")
  }

  def int(at: Int): Int = narrow(at, long(at))

  def intOption(at: Int): Option[Int] = longOption(at).map(narrow(at, _))

  private def narrow(at: Int, value: Long): Int =
    if (value.isValidInt) value.toInt else refuse(at, s"`$value` is out of range")

  /** The number, or `absent` for NULL, without creating an object. */
  def longOr(at: Int, absent: Long): Long = {
    val value = result.getLong(at)
    if (isNull(value, at)) absent else value
  }

  def textOption(at: Int): Option[String] = Option(result.getString(at))

  def text(at: Int): String = textOption(at).getOrElse(missing(at))

  def booleanOption(at: Int): Option[Boolean] = {
    val value = result.getBoolean(at)
    if (result.wasNull()) None
    else {
      if (!value) checkZero(at)
      Some(value)
    }
  }

  /** A UUID, stored natively or as text. */
  def uuid(at: Int): UUID = result.getObject(at) match {
    case native: UUID => native
    case text: String =>
      ValueText.parseCast(text, LakeType.Uuid) match {
        case Some(Literal.Uuid(value)) => value
        case _ => refuse(at, s"`$text` is no UUID")
      }
    case _ => missing(at)
  }

  /** A point in time, stored natively or as DuckDB's text with any offset. */
  def instant(at: Int): Instant = result.getObject(at) match {
    case native: OffsetDateTime => native.toInstant
    case native: Timestamp => native.toInstant
    case native: LocalDateTime => native.toInstant(ZoneOffset.UTC)
    case text: String => InstantText.parse(text).getOrElse(unreadable(at, text))
    case _ => missing(at)
  }

  /** Like [[instant]]; None for NULL. */
  def instantOption(at: Int): Option[Instant] = Option(result.getObject(at)).map(_ => instant(at))

  /** A value of an inlined table, in the type that the driver returns. */
  def stored(at: Int): StoredValue = StoredValues.of(result.getObject(at))

  /** The driver returns 0 for NULL. `wasNull` is called only then, because it is a separate call of
    * SQLite's library.
    */
  private def isNull(value: Long, at: Int): Boolean = value == 0L && {
    val isAbsent = result.wasNull()
    if (!isAbsent) checkZero(at)
    isAbsent
  }

  /** SQLite takes text in columns of numbers, and its driver returns 0 for text without digits. */
  private def checkZero(at: Int): Unit = result.getObject(at) match {
    case text: String => refuse(at, s"`$text` is no number")
    case _: Array[Byte] => refuse(at, "a binary value is no number")
    case _ => ()
  }

  private def missing(at: Int): Nothing = refuse(at, "a required value is NULL")

  private def unreadable(at: Int, text: String): Nothing =
    refuse(at, s"`$text` is no point in time")

  /** Ends the statement because a value of the row cannot be used. */
  def refuse(at: Int, why: String): Nothing = {
    val tables = Row.MetadataTable.findAllIn(statement).distinct.mkString(", ")
    val shape = result.getMetaData
    val first =
      if (at == 1) "" else s" where ${shape.getColumnLabel(1)} is ${result.getString(1)}"
    val subject = s"$tables$first, column ${shape.getColumnLabel(at)}"
    throw new LakeException(LakeError.CorruptCatalog(subject, why))
  }
}

private object Row {

  /** The most rows or bytes of a file: 2⁴⁶, more than object stores take. */
  private val MostOfFile = 1L << 46

  private val MetadataTable = """ducklake_\w+""".r
}
