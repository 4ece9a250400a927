package ducklake.spark.procedures

import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.ChangeBound
import ducklake.catalog.listing.ChangePoint
import ducklake.catalog.types.SnapshotId
import ducklake.spark.changes.ChangeFeedTable
import ducklake.spark.changes.FeedKind
import ducklake.spark.changes.FeedOptions
import ducklake.spark.ddl.TableName
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.sparkapi.sql.TimeText
import org.apache.spark.sql.types.ByteType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DateType
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.NullType
import org.apache.spark.sql.types.ShortType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.sql.types.TimestampType

import java.time.Instant
import java.time.temporal.ChronoUnit

/** The arguments of a change feed.
  *
  * @param function the name of the function, for messages
  */
final case class FeedArguments(
    function: String,
    kind: FeedKind,
    table: TableName,
    start: ChangeBound,
    end: ChangeBound,
)

object FeedArguments {

  /** Whether the schema is among this many arguments, some of them named. */
  def hasSchema(arguments: Int, named: Vector[String]): Boolean =
    arguments != 3 || named.exists(_.equalsIgnoreCase("schema_name"))
}

/** Ends of change feeds in arguments: ids and names of snapshots, and timestamps. */
object FeedBounds {

  /** The type to which an argument is cast. Errors: InvalidArgument for other types. */
  def typeOf(argument: DataType): DataType = argument match {
    case TimestampType | TimestampNTZType | DateType => TimestampType
    case _: StringType => StringType
    case ByteType | ShortType | IntegerType | LongType | NullType => LongType
    case other =>
      val why = s"is neither a snapshot's id or name nor a timestamp, but of type ${other.sql}"
      SparkErrors.raise(
        LakeError.InvalidArgument("Change feed", "start_snapshot, end_snapshot", why)
      )
  }

  /** @param value a snapshot id, or microseconds when the type is a timestamp */
  def of(value: Long, dataType: DataType): ChangeBound = dataType match {
    case TimestampType => ChangeBound.time(Instant.EPOCH.plus(value, ChronoUnit.MICROS))
    case _ => ChangeBound.version(SnapshotId(value))
  }

  /** A whole number is a snapshot's id, although Spark would read a year. Any other text is a
    * timestamp, or else a snapshot's name.
    */
  def of(text: String): ChangeBound =
    if (text.trim.toLongOption.isDefined) ChangeBound.snapshot(text.trim)
    else TimeText.instant(text).fold(ChangeBound.snapshot(text))(ChangeBound.time)
}

/** Finds the feed that the arguments of a function name. */
object ChangeFeeds {

  /** The feed with the columns that the table has at the end, as in DuckDB. Throws
    * NoSuchTableException when the lake has no table of this name. Errors: InvalidArgument,
    * NoSuchSnapshot.
    */
  def table(session: SessionLake, arguments: FeedArguments): ChangeFeedTable = {
    requireOneKind(arguments)
    val range = FeedOptions.range(session, arguments.start, arguments.end)
    val snapshot = arguments.end.point match {
      case ChangePoint.Version(id) => session.lake.at(id)
      case ChangePoint.Time(at) => session.lake.atOrBefore(at)
      case ChangePoint.Named(_) => session.lake.at(range.last)
    }
    val table = arguments.table
      .find(snapshot)
      .getOrElse(throw arguments.table.missing(session.name))
    val at = new TableAtSnapshot(session, snapshot, table, isPast = true)
    new ChangeFeedTable(arguments.function, at, arguments.kind, _ => range)
  }

  private def requireOneKind(arguments: FeedArguments): Unit =
    if (isTime(arguments.start) != isTime(arguments.end)) {
      val why = "and `start_snapshot` must both be snapshots or both be timestamps"
      SparkErrors.raise(LakeError.InvalidArgument(arguments.function, "end_snapshot", why))
    }

  private def isTime(bound: ChangeBound): Boolean =
    bound.point match {
      case ChangePoint.Time(_) => true
      case ChangePoint.Version(_) | ChangePoint.Named(_) => false
    }
}
