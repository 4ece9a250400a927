package ducklake.files.foreign

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.statistics.IntStatistics
import org.apache.parquet.column.statistics.LongStatistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/** In which calendar a file has its dates and instants. Spark 2, and newer ones when they are asked
  * to, write the hybrid of Julian and Gregorian, and Spark alone reads it: DuckDB takes the numbers
  * of days for days of the Gregorian calendar.
  *
  * Source: Spark 4.2.0, DataSourceUtils.datetimeRebaseSpec and int96RebaseSpec.
  *
  * @param oldDates whether DATE and TIMESTAMP are in the old calendar
  * @param oldInt96 whether INT96 is
  * @param zone the time zone of the writer's session; None when the file does not say it
  */
final case class OldCalendar(oldDates: Boolean, oldInt96: Boolean, zone: Option[String]) {

  /** Whether the values of a column are, or may be, other ones in the Gregorian calendar. */
  private[foreign] def concerns(
      column: ColumnDescriptor,
      chunks: Vector[ColumnChunkMetaData],
  ): Boolean = {
    val stored = column.getPrimitiveType
    (stored.getPrimitiveTypeName, stored.getLogicalTypeAnnotation) match {
      case (PrimitiveTypeName.INT96, _) => oldInt96 && OldCalendar.beginsBefore(chunks, None)
      case (_, _: DateLogicalTypeAnnotation) =>
        oldDates && OldCalendar.beginsBefore(chunks, Some(OldCalendar.FirstDay))
      case (_, instants: TimestampLogicalTypeAnnotation) if instants.isAdjustedToUTC =>
        oldDates && OldCalendar.beginsBefore(chunks, Some(OldCalendar.first(instants.getUnit)))
      case _ => false
    }
  }
}

object OldCalendar {

  private val Version = "org.apache.spark.version"
  private val DatesMark = "org.apache.spark.legacyDateTime"
  private val Int96Mark = "org.apache.spark.legacyINT96"
  private val Zone = "org.apache.spark.timeZone"

  /** 1582-10-15: from this day on both calendars are the same. */
  private val FirstDay = -141427L

  /** 1900-01-01T00:00:00Z: from this second on instants are the same in every time zone. */
  private val FirstSecond = -2208988800L

  /** None for a file in the Gregorian calendar, and for one that does not say which Spark wrote it.
    *
    * @param metadata the keys and values of the file's footer
    */
  def of(metadata: java.util.Map[String, String]): Option[OldCalendar] =
    Option(metadata.get(Version)).flatMap { version =>
      val oldDates = version < "3.0.0" || metadata.containsKey(DatesMark)
      val oldInt96 = version < "3.1.0" || metadata.containsKey(Int96Mark)
      Option.when(oldDates || oldInt96)(
        OldCalendar(oldDates, oldInt96, Option(metadata.get(Zone)))
      )
    }

  private[foreign] def isInMillis(column: ColumnDescriptor): Boolean =
    column.getPrimitiveType.getLogicalTypeAnnotation match {
      case instants: TimestampLogicalTypeAnnotation => instants.getUnit == TimeUnit.MILLIS
      case _ => false
    }

  private def first(unit: TimeUnit): Long = unit match {
    case TimeUnit.MILLIS => FirstSecond * 1000
    case TimeUnit.MICROS => FirstSecond * 1000000
    case TimeUnit.NANOS => FirstSecond * 1000000000
  }

  /** Whether a row group has values before the first one, or may have them.
    *
    * @param first None when minima mean nothing
    */
  private def beginsBefore(chunks: Vector[ColumnChunkMetaData], first: Option[Long]): Boolean =
    chunks.filterNot(hasOnlyNulls).exists { chunk =>
      val least = chunk.getStatistics match {
        case days: IntStatistics if days.hasNonNullValue => Some(days.getMin.toLong)
        case instants: LongStatistics if instants.hasNonNullValue => Some(instants.getMin)
        case _ => None
      }
      !least.zip(first).exists { case (found, bound) => found >= bound }
    }

  private def hasOnlyNulls(chunk: ColumnChunkMetaData): Boolean =
    Option(chunk.getStatistics)
      .exists(known => known.isNumNullsSet && known.getNumNulls == chunk.getValueCount)
}
