package ducklake.catalog.read.file

import ducklake.catalog.jdbc.Row
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.predicate.StatisticsText
import ducklake.catalog.predicate.StoredStatistics
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType

/** Decodes rows of file statistics by the types that the columns have at the snapshot that is read.
  */
private[catalog] final class StatisticsDecoder(types: Map[ColumnId, LakeType.Primitive]) {

  /** Decodes a row of `FileSql.statistics`. None for a column that the table does not have. */
  def decode(row: Row): Option[(DataFileId, ColumnId, ColumnStatistics)] = {
    val column = ColumnId(row.long(2))
    types.get(column).map { dataType =>
      val stored = StoredStatistics(
        min = row.textOption(3),
        max = row.textOption(4),
        valueCount = row.longOption(5),
        nullCount = row.longOption(6),
        containsNan = row.booleanOption(7),
        sizeBytes = row.longOption(8),
      )
      (DataFileId(row.long(1)), column, StatisticsText.read(stored, dataType))
    }
  }
}
