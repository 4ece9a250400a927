package ducklake.catalog.change.operation

import ducklake.catalog.option.MoveRecord
import ducklake.catalog.option.RegisteredReader

/** Options of tables that are records of ours: last writes, readers, and moves. Users cannot set them. */
object TableRecord {
  def isKey(key: String): Boolean =
    NumberedWrite.isKey(key) || RegisteredReader.isKey(key) || key == MoveRecord.Key
}
