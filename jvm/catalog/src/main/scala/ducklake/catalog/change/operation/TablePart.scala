package ducklake.catalog.change.operation

/** What of a table a statement has looked at. */
sealed trait TablePart

object TablePart {

  /** Its files, and everything else. A compaction changes the files. */
  case object Files extends TablePart

  /** Its rows and its definition, which compactions and flushes keep. */
  case object Content extends TablePart
}
