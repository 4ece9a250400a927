package ducklake.catalog.change.operation

import java.time.Instant
import java.time.format.DateTimeParseException

/** An epoch of a streaming query: the rows that Spark gives to a table in one step. The number of
  * the last epoch is stored with the table, in the commit of the epoch's rows (decision 21).
  *
  * @param query the id of the query; it stays the same when the query is restarted
  */
final case class StreamEpoch(query: String, number: Long) {

  /** The key under which the number is stored among the options of the table. */
  def key: String = StreamEpoch.KeyPrefix + query
}

object StreamEpoch {

  /** The common prefix of the keys of all queries. */
  val KeyPrefix = "spark_stream_epoch."

  /** Whether an option of a table is the last epoch of a query. */
  def isKey(key: String): Boolean = key.startsWith(KeyPrefix)
}

/** The stored record of the last epoch of a query.
  *
  * @param at the time of the commit; None in records that have no time
  */
final case class EpochRecord(number: Long, at: Option[Instant]) {

  /** The value of the option. */
  def text: String = (number.toString +: at.map(_.toString).toVector).mkString(" ")
}

object EpochRecord {

  /** None for a text that is no record. */
  def parse(text: String): Option[EpochRecord] =
    text.split(" ", 2).toVector match {
      case Vector(number) => number.toLongOption.map(EpochRecord(_, None))
      case Vector(number, time) =>
        number.toLongOption.zip(instant(time)).map { case (n, at) => EpochRecord(n, Some(at)) }
      case _ => None
    }

  private def instant(text: String): Option[Instant] =
    try Some(Instant.parse(text))
    catch { case _: DateTimeParseException => None }
}
