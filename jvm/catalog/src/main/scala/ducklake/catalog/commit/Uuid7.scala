package ducklake.catalog.commit

import java.security.SecureRandom
import java.time.Clock
import java.util.UUID

/** New UUIDs of version 7: unique without coordination, and ordered by their creation time.
  *
  * Source: RFC 9562, version 7; DuckDB 1.5.5 makes the same for tables, schemas and files.
  */
object Uuid7 {

  private val random = new SecureRandom
  private val clock = Clock.systemUTC()

  /** A UUID with 48 bits of milliseconds since 1970, the version, and 74 random bits. */
  def next(): UUID = {
    val time = clock.millis() << 16
    val version = 0x7000L
    val high = time | version | (random.nextLong() & 0xfffL)
    val low = (random.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L
    new UUID(high, low)
  }
}
