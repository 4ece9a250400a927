package ducklake.catalog.read.schema

import ducklake.catalog.jdbc.Row
import ducklake.catalog.model.LakePath

/** Decodes paths: a column with the text, and the next column with whether the path is relative. */
private[read] object PathDecoder {

  /** The path in these columns. NULL stands for the folder of the object that holds it (format
    * 1.2).
    *
    * Errors: CorruptCatalog for a path that no file system has.
    */
  def decode(row: Row, at: Int): LakePath = row.textOption(at) match {
    case Some(text) if text.contains('\u0000') => row.refuse(at, "the path holds a NUL character")
    case Some(text) => LakePath(text, row.booleanOption(at + 1).getOrElse(true))
    case None => LakePath.here
  }
}
