package ducklake.catalog.read

import ducklake.catalog.jdbc.Row
import ducklake.catalog.model.LakePath

/** Paths as rows hold them: text and, in the next column, whether it is relative. */
private[read] object PathDecoder {

  /** NULL stands for the folder of what holds it (format 1.2). */
  def decode(row: Row, at: Int): LakePath = row.textOption(at) match {
    case Some(text) => LakePath(text, row.booleanOption(at + 1).getOrElse(true))
    case None => LakePath.here
  }
}
