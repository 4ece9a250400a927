package ducklake.catalog.jdbc.web

import java.time.Duration

/** Limits of the copy of a published catalog from an untrusted server.
  *
  * @param mostBytes the largest file that is copied
  * @param copyMillis how long a copy may take, the server's answer included
  * @param silence a server that sends nothing for this long counts as unreachable
  */
final case class WebLimits(
    mostBytes: Long,
    copyMillis: Long,
    silence: Duration = HttpBody.LongestSilence,
)

object WebLimits {

  /** The catalog keys of the limits, for messages. */
  val SizeKey: String = "web.max-bytes"
  val CopyKey: String = "web.timeout-ms"

  /** A gibibyte, which is the catalog of some million files; ten minutes. */
  val default: WebLimits = WebLimits(1L << 30, 600000L)
}
