import sbt.*

import java.util.Locale

/** This machine, in the names that the drivers give to their native libraries. */
object Platform {

  private val isArm: Boolean = Set("aarch64", "arm64")(sys.props("os.arch"))

  private val isMusl: Boolean = file(s"/lib/ld-musl-${sys.props("os.arch")}.so.1").exists

  /** Such as `linux_amd64`, and a folder such as `Linux/x86_64`. */
  val (duckDb: String, sqlite: String) = {
    val (machine, architecture) = if (isArm) ("arm64", "aarch64") else ("amd64", "x86_64")
    val system = sys.props("os.name").toLowerCase(Locale.ROOT)
    if (system.startsWith("mac")) (s"macos_$machine", s"Mac/$architecture")
    else if (system.startsWith("win")) (s"windows_$machine", s"Windows/$architecture")
    else if (isMusl) (s"linux_${machine}_musl", s"Linux-Musl/$architecture")
    else (s"linux_$machine", s"Linux/$architecture")
  }
}
