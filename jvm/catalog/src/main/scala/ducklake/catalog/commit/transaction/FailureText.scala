package ducklake.catalog.commit.transaction

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException

/** The reasons of failures, for use within our own messages. */
private[commit] object FailureText {

  /** The reason without the advice of the error's message: the advice holds only for statements
    * that are not tried again and have changed nothing.
    */
  def why(cause: LakeException): String = cause.error match {
    case LakeError.ConnectionFailed(_, _, why) => s"the catalog database did not answer ($why)"
    case LakeError.CatalogQueryFailed(_, _, why) => why
    case LakeError.CatalogBusy(_, _) => "another process held the catalog database"
    case _: LakeError.StatementInterrupted => "it was interrupted"
    case other => other.message
  }
}
