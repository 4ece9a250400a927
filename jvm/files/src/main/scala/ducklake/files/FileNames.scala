package ducklake.files

import java.security.SecureRandom
import java.time.Clock
import java.util.UUID

/** Names of new files: unique without asking anybody, and ordered by the time they were made.
  *
  * Source: DuckDB 1.5.5, observed (format 5.1 and 6.2); RFC 9562 for UUID version 7.
  */
object FileNames {

  private val random = new SecureRandom
  private val clock = Clock.systemUTC()

  def dataFile(): String = s"ducklake-${uuid()}.parquet"

  def deleteFile(): String = s"ducklake-${uuid()}-delete.parquet"

  /** 48 bits of milliseconds since 1970, the version, and 74 random bits. */
  private[files] def uuid(): UUID = {
    val time = clock.millis() << 16
    val version = 0x7000L
    val high = time | version | (random.nextLong() & 0xfffL)
    val low = (random.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L
    new UUID(high, low)
  }
}
