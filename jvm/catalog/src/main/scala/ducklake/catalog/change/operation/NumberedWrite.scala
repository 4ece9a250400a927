package ducklake.catalog.change.operation

import java.time.Instant
import java.time.format.DateTimeParseException

/** A write with a number, so that it can be repeated without harm. The number of the last such
  * write is stored with the table, in the commit of its rows (decision 21).
  */
sealed trait NumberedWrite {

  /** Numbers of one writer grow. */
  def number: Long

  /** For messages, at the beginning of a sentence. */
  def text: String

  /** The key under which the number is stored among the options of the table. */
  def key: String
}

object NumberedWrite {

  /** The common prefixes of the keys of all writers. */
  val KeyPrefixes: Vector[String] = Vector(StreamEpoch.KeyPrefix, ApplicationWrite.KeyPrefix)

  /** Whether an option of a table is the number of a writer's last write. */
  def isKey(key: String): Boolean = KeyPrefixes.exists(key.startsWith)
}

/** An epoch of a streaming query: the rows that Spark gives to a table in one step.
  *
  * @param query the id of the query; it stays the same when the query is restarted
  */
final case class StreamEpoch(query: String, number: Long) extends NumberedWrite {
  override def text: String = s"Epoch $number of query $query"
  override def key: String = StreamEpoch.KeyPrefix + query
}

object StreamEpoch {
  val KeyPrefix = "spark_stream_epoch."
}

/** A write that an application has numbered.
  *
  * @param application the application's own name for itself
  */
final case class ApplicationWrite(application: String, version: Long) extends NumberedWrite {
  override def number: Long = version
  override def text: String = s"Write $version of application `$application`"
  override def key: String = ApplicationWrite.KeyPrefix + application

  /** The operations, and the record of this write for each table whose rows they change. Writes
    * that are recorded already stay as they are.
    */
  def recordedWith(operations: Vector[Operation]): Vector[Operation] =
    if (operations.exists(_.isInstanceOf[Operation.RecordWrite])) operations
    else {
      val targets = operations.flatMap(_.changedRowsOf).distinctBy {
        case TableTarget.Existing(table) => Left(table.id)
        case TableTarget.Created(uuid) => Right(uuid)
      }
      operations ++ targets.map(Operation.RecordWrite(_, this))
    }
}

object ApplicationWrite {
  val KeyPrefix = "spark_txn_version."
}

/** The stored record of a writer's last write.
  *
  * @param at the time of the commit; None in records that have no time
  */
final case class WriteRecord(number: Long, at: Option[Instant]) {

  /** The value of the option. */
  def text: String = (number.toString +: at.map(_.toString).toVector).mkString(" ")
}

object WriteRecord {

  /** None for a text that is no record. */
  def parse(text: String): Option[WriteRecord] =
    text.split(" ", 2).toVector match {
      case Vector(number) => number.toLongOption.map(WriteRecord(_, None))
      case Vector(number, time) =>
        number.toLongOption.zip(instant(time)).map { case (n, at) => WriteRecord(n, Some(at)) }
      case _ => None
    }

  private def instant(text: String): Option[Instant] =
    try Some(Instant.parse(text))
    catch { case _: DateTimeParseException => None }
}
