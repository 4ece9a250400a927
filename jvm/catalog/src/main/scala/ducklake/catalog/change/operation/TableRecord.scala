package ducklake.catalog.change.operation

import ducklake.catalog.option.RegisteredReader

/** Options of tables that are records of ours: last writes, and readers. Users cannot set them. */
object TableRecord {
  def isKey(key: String): Boolean = NumberedWrite.isKey(key) || RegisteredReader.isKey(key)
}
