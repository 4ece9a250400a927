package ducklake.catalog.sql.query

import ducklake.catalog.model.FilesBefore
import ducklake.catalog.model.RowPlace
import ducklake.catalog.model.RowSlice
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.sql.Visibility
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** Statements on the data files of a table in the order of [[RowPlace]]. Catalogs up to 0.3 tell the
  * snapshots of merged files in a text, which SQL does not read: there the statements select all
  * merged files.
  */
final class SliceSql(dialect: Dialect, version: FormatVersion) {
  private val files = new FileSql(dialect, version)
  private val inlined = version.inlinedColumns

  /** The columns of [[FileSql.dataFiles]]; of the files with rows after the first place of the slice
    * and rows before its last place. A merged file may have none in between.
    */
  def dataFiles(table: TableId, at: SnapshotId, slice: RowSlice): Sql = {
    val before = slice.to.fold(Sql.empty)(place => sql"AND ${beginsBefore(place)}")
    sql"${filesAfter(table, at, slice.from)} $before"
  }

  /** The columns of [[FileSql.dataFiles]]; of the first files with rows after a place. Of catalogs up
    * to 0.3 these are all files.
    */
  def nextFiles(table: TableId, at: SnapshotId, from: RowPlace, count: Int): Sql = {
    val firsts =
      if (version.hasPartialMax)
        sql"""ORDER BY CASE WHEN data.begin_snapshot > ${from.adding} THEN data.begin_snapshot
             |  WHEN data.data_file_id <= ${lastId(from)} THEN ${from.adding.value + 1}
             |  ELSE ${from.adding} END, data.data_file_id
             |LIMIT ${count.toLong}"""
      else Sql.empty
    sql"${filesAfter(table, at, from)} $firsts"
  }

  /** Columns: some file id, begin, largest snapshot inside, number of files; of the files up to an
    * id that have rows of a snapshot, and in catalogs up to 0.3 of other merged files.
    */
  def filesBefore(table: TableId, at: SnapshotId, adding: SnapshotId, before: FilesBefore): Sql = {
    val isMerged =
      if (version.hasPartialMax) sql"data.partial_max >= $adding"
      else sql"data.partial_file_info IS NOT NULL"
    sql"""SELECT MIN(data.data_file_id), data.begin_snapshot, ${files.largestSnapshot}, COUNT(*)
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |WHERE data.table_id = $table AND ${Visibility.at(at, "data")}
         |  AND data.data_file_id <= ${before.last} AND data.begin_snapshot <= $adding
         |  AND (data.begin_snapshot = $adding OR $isMerged)
         |GROUP BY data.begin_snapshot, ${files.largestSnapshot}"""
  }

  /** Columns: snapshot, number of its visible rows; of the first snapshots from one on. */
  def nextInlined(inlinedTable: String, at: SnapshotId, from: SnapshotId, count: Int): Sql =
    sql"""SELECT ${inlined.begin}, COUNT(*)
         |FROM ${dialect.table(inlinedTable)}
         |WHERE ${inlined.visibleAt(at)} AND ${inlined.begin} >= $from
         |GROUP BY ${inlined.begin}
         |ORDER BY ${inlined.begin}
         |LIMIT ${count.toLong}"""

  private def filesAfter(table: TableId, at: SnapshotId, place: RowPlace): Sql = {
    val adding = place.adding
    val (hasLater, endsAt) =
      if (version.hasPartialMax)
        (sql"data.partial_max > $adding", sql"data.partial_max = $adding")
      else (sql"data.partial_file_info IS NOT NULL", sql"1 = 0")
    sql"""SELECT ${files.dataFileColumns}
         |FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |WHERE data.table_id = $table AND ${Visibility.at(at, "data")}
         |  AND (data.begin_snapshot > $adding OR $hasLater
         |    OR (data.data_file_id > ${lastId(place)}
         |      AND (data.begin_snapshot = $adding OR $endsAt)))"""
  }

  private def beginsBefore(place: RowPlace): Sql =
    sql"""(data.begin_snapshot < ${place.adding}
         |    OR (data.begin_snapshot = ${place.adding} AND data.data_file_id <= ${lastId(
        place
      )}))"""

  /** File ids count from 0. */
  private def lastId(place: RowPlace): Long = place.files.fold(-1L)(_.last.value)
}
