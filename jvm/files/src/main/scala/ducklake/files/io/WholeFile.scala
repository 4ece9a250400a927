package ducklake.files.io

import scala.util.control.NonFatal

/** New files that come to be only when they are written whole. */
object WholeFile {

  /** Returns what `write` returns. When `write` fails, `abort` gives up the file before it is closed:
    * closing a file that is not given up completes it, so that an object store would have to take in
    * and to delete an object that nobody needs. When `close` fails, which writes the end of a Parquet
    * file, the file is given up too.
    *
    * Errors: those of `write`; those of `close` when everything was written.
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
