package ducklake.spark.extension

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.errors.DuckLakeException

/** Refuses statements while Spark analyses them. */
private[extension] object Refusals {

  /** @param what is not supported; the beginning of the message
    * @param hint what to do instead
    */
  def refuse(what: String, hint: String): Nothing = {
    val error = LakeError.Unsupported(what, hint)
    throw new DuckLakeException(error, new LakeException(error))
  }
}
