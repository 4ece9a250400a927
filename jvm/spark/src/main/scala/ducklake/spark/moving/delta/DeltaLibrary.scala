package ducklake.spark.moving.delta

import ducklake.catalog.error.LakeError
import ducklake.files.io.FileFailure
import ducklake.spark.errors.SparkErrors
import ducklake.spark.metadata.BuildVersion
import io.delta.kernel.exceptions.KernelException
import io.delta.kernel.exceptions.TableNotFoundException

/** Delta's Kernel, which the session brings. */
private[moving] object DeltaLibrary {

  /** Runs what calls the library.
    *
    * Errors: Unsupported when the session does not have the library, and for a table that the
    * library refuses; InvalidArgument when there is no table, or half a log; the errors of [[FileFailure.naming]].
    */
  def using[A](source: String, table: String)(body: => A): A = {
    if (!isPresent)
      SparkErrors.raise(
        LakeError.Unsupported(
          "Reading a table of Delta without Delta's Kernel",
          s"Start Spark with --packages ${BuildVersion.delta}.",
        )
      )
    FileFailure.naming(source, table)(KernelErrors.named(source)(body))
  }

  private def isPresent: Boolean =
    try {
      Class.forName("io.delta.kernel.defaults.engine.DefaultEngine", false, getClass.getClassLoader)
      true
    } catch { case _: ClassNotFoundException => false }
}

/** Apart from [[DeltaLibrary]], because the verifier of the JVM loads the library's exceptions. */
private object KernelErrors {

  def named[A](source: String)(body: => A): A =
    try body
    catch {
      case _: TableNotFoundException =>
        SparkErrors.raise(
          LakeError.InvalidArgument(
            "migrate_from_delta",
            "source",
            "is no folder of a table of Delta, and no name that begins with a catalog of the " +
              s"session: there is no log in `$source/_delta_log`",
          )
        )
      case refusal: KernelException =>
        SparkErrors.raise(
          LakeError.Unsupported(
            s"Reading the table of Delta `$source` (${refusal.getMessage.stripSuffix(".")})",
            "Delta's Kernel refuses it. Remove the feature from the table, or bring a newer Kernel.",
          )
        )
      // The Kernel has no exception of its own for a log without metadata or protocol.
      case broken: IllegalStateException if isOfKernel(broken) =>
        SparkErrors.raise(
          LakeError.InvalidArgument(
            "migrate_from_delta",
            "source",
            s"has a log in `$source/_delta_log` that describes no table: " +
              broken.getMessage.stripSuffix("."),
          )
        )
    }

  private def isOfKernel(failure: Throwable): Boolean =
    failure.getStackTrace.headOption.exists(_.getClassName.startsWith("io.delta.kernel."))
}
