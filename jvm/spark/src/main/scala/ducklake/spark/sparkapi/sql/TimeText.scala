package ducklake.spark.sparkapi.sql

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String

import java.time.Instant

/** Reads timestamps that users write. */
private[spark] object TimeText {

  /** The instant of a text in Spark's spelling. A text without a zone is in the session's zone. */
  def instant(text: String): Option[Instant] = {
    val zone = DateTimeUtils.getZoneId(SQLConf.get.sessionLocalTimeZone)
    DateTimeUtils.stringToTimestamp(UTF8String.fromString(text), zone).map { micros =>
      DateTimeUtils.microsToInstant(micros)
    }
  }
}
