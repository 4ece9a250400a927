package ducklake.catalog.jdbc

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.inlined.StoredValue
import ducklake.catalog.types.text.InstantText

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
  */
final class Row private[jdbc] (result: ResultSet) {

  def longOption(at: Int): Option[Long] = {
    val value = result.getLong(at)
    if (isNull(value)) None else Some(value)
  }

  def long(at: Int): Long = {
    val value = result.getLong(at)
    if (isNull(value)) missing(at) else value
  }

  /** The number, or `absent` for NULL, without creating an object. */
  def longOr(at: Int, absent: Long): Long = {
    val value = result.getLong(at)
    if (isNull(value)) absent else value
  }

  def textOption(at: Int): Option[String] = Option(result.getString(at))

  def text(at: Int): String = textOption(at).getOrElse(missing(at))

  def booleanOption(at: Int): Option[Boolean] = {
    val value = result.getBoolean(at)
    if (result.wasNull()) None else Some(value)
  }

  /** A UUID, stored natively or as text. */
  def uuid(at: Int): UUID = result.getObject(at) match {
    case native: UUID => native
    case text: String => UUID.fromString(text)
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
  private def isNull(value: Long): Boolean = value == 0L && result.wasNull()

  private def missing(at: Int): Nothing =
    throw new LakeException(LakeError.CorruptCatalog(column(at), "a required value is NULL"))

  private def unreadable(at: Int, text: String): Nothing =
    throw new LakeException(LakeError.CorruptCatalog(column(at), s"`$text` is no point in time"))

  private def column(at: Int): String = s"column ${result.getMetaData.getColumnLabel(at)}"
}
