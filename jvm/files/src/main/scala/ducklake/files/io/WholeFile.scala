package ducklake.files.io

import scala.util.control.NonFatal

/** New files that become visible only when they are complete. */
object WholeFile {

  /** Returns what `write` returns. When `write` fails, `abort` gives up the file before it is
    * closed: closing a file that is not given up completes it, so that an object store would create
    * an object that must then be deleted. When `close` fails, which writes the end of a Parquet
    * file, the file is given up too.
    *
    * Errors: the errors of `write`; the errors of `close` when everything was written.
    */
  def written[A](abort: => Unit, close: => Unit)(write: => A): A = {
    val result =
      try write
      catch {
        case failure: Throwable =>
          after(failure)(abort)
          after(failure)(close)
          throw failure
      }
    try close
    catch {
      case failure: Throwable =>
        after(failure)(abort)
        throw failure
    }
    result
  }

  private def after(failure: Throwable)(step: => Unit): Unit =
    try step
    catch { case NonFatal(next) => if (next ne failure) failure.addSuppressed(next) }
}
