package ducklake.catalog.read.file

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Row
import ducklake.catalog.model.DeleteFile
import ducklake.catalog.model.DeleteFormat
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.model.FirstRowId
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.RowOrigin
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.read.schema.PathDecoder
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.SnapshotId

import java.util.Locale

/** A decoded row of `ducklake_data_file`. */
private[read] final case class DataFileRow(
    id: Long,
    begin: Long,
    last: Long,
    path: LakePath,
    recordCount: Long,
    sizeBytes: Long,
    footerSize: Long,
    firstRowId: FirstRowId,
    partition: Option[Long],
    encryption: FileEncryption,
    mapping: Option[Long],
    visibility: RowVisibility,
)

/** A delete file and the id of its data file. */
private[file] final case class DeleteFileRow(
    dataFile: Long,
    file: DeleteFile,
    partialMax: Option[Long],
)

/** Decodes rows of `FileSql`. */
private[read] final class FileDecoder(head: CatalogHead, directory: String) {
  private val at = head.snapshot.id

  def dataFile(row: Row): DataFileRow = {
    val id = row.long(1)
    val recordCount = row.count(5)
    row.textOption(13).filterNot(_.equalsIgnoreCase("parquet")).foreach { other =>
      throw new LakeException(
        unread(s"The data file ${row.text(3)} of format `$other`", "`parquet`")
      )
    }
    DataFileRow(
      id = id,
      begin = row.long(2),
      last = origin(row).snapshots.last.value,
      path = PathDecoder.decode(row, 3),
      recordCount = recordCount,
      sizeBytes = row.count(6),
      footerSize = row.longOr(7, absent = 0L),
      firstRowId = FirstRowId.of(row.longOption(8)),
      partition = row.longOption(9),
      encryption = FileEncryption.of(head.isEncrypted, row.textOption(10)),
      mapping = row.longOption(11),
      visibility =
        if (head.version.hasPartialMax) upTo(row.longOption(12))
        else runs(id, row.textOption(12)),
    )
  }

  /** The snapshots of the rows of the data file in this row. */
  def origin(row: Row): RowOrigin = originAt(row, 12)

  /** @param largest the column with the largest snapshot inside; id and begin are columns 1 and 2
    */
  def originAt(row: Row, largest: Int): RowOrigin = {
    val (id, begin) = (row.long(1), row.long(2))
    if (head.version.hasPartialMax) origin(begin, row.longOption(largest))
    else
      row.textOption(largest).map(partialInfo(id, _)) match {
        case None => origin(begin, None)
        case Some(Left(largest)) => origin(begin, Some(largest))
        case Some(Right(runs)) => RowOrigin.Runs(runs)
      }
  }

  private def origin(begin: Long, partialMax: Option[Long]): RowOrigin = partialMax match {
    case Some(largest) if largest > begin =>
      RowOrigin.Embedded(SnapshotRange(SnapshotId(begin), SnapshotId(largest)))
    case _ => RowOrigin.OneSnapshot(SnapshotId(begin))
  }

  def deleteFile(row: Row): DeleteFileRow = {
    val stored = format(row.text(5))
    val file = DeleteFile(
      id = DeleteFileId(row.long(2)),
      path = PathDecoder.decode(row, 3).fileIn(directory),
      format = stored,
      deleteCount = row.count(6),
      sizeBytes = row.count(7),
      footerSize = row.longOption(8),
      begin = SnapshotId(row.long(9)),
      encryption = stored match {
        case DeleteFormat.ParquetPositions =>
          FileEncryption.of(head.isEncrypted, row.textOption(10))
        case DeleteFormat.PuffinVector => FileEncryption.Absent
      },
    )
    DeleteFileRow(row.long(1), file, row.longOption(11))
  }

  private def format(text: String): DeleteFormat = text.toLowerCase(Locale.ROOT) match {
    case "parquet" => DeleteFormat.ParquetPositions
    case "puffin" => DeleteFormat.PuffinVector
    case other =>
      throw new LakeException(unread(s"A delete file of format `$other`", "`parquet` and `puffin`"))
  }

  private def unread(what: String, formats: String): LakeError =
    LakeError.Unsupported(
      what,
      s"This connector reads $formats; read the table with the engine that wrote the file.",
    )

  private def upTo(partialMax: Option[Long]): RowVisibility = partialMax match {
    case Some(largest) if at.value < largest => RowVisibility.upTo(at)
    case _ => RowVisibility.All
  }

  /** The rows that are visible by `partial_file_info` of catalogs up to 0.3. */
  private def runs(file: Long, text: Option[String]): RowVisibility =
    text.map(partialInfo(file, _)) match {
      case None => RowVisibility.All
      case Some(Left(largest)) => upTo(Some(largest))
      case Some(Right(runs)) =>
        val seen = runs.takeWhile { case (id, _) => id.value <= at.value }
        RowVisibility.Runs(start = 0, seen.lastOption.fold(0L)(_._2), runs)
    }

  /** A text of `partial_file_info` is `partial_max:N`, or a list of running totals such as
    * `2:1|3:3|4:4` (format 1.5).
    */
  private def partialInfo(file: Long, text: String): Either[Long, Vector[(SnapshotId, Long)]] =
    text match {
      case s"partial_max:$largest" =>
        Left(largest.toLongOption.getOrElse(throw corrupt(file, largest)))
      case list =>
        Right(list.split('|').toVector.map {
          case s"$snapshot:$total" =>
            (snapshot.toLongOption, total.toLongOption) match {
              case (Some(id), Some(rows)) => (SnapshotId(id), rows)
              case _ => throw corrupt(file, list)
            }
          case _ => throw corrupt(file, list)
        })
    }

  private def corrupt(file: Long, text: String): LakeException =
    new LakeException(
      LakeError.CorruptCatalog(s"data file $file", s"partial_file_info is `$text`")
    )
}

private[read] object FileDecoder {

  /** Checks the inlined deletes of a data file.
    *
    * @param rows of the data file
    * @param positions increasing
    *
    * Errors: CorruptCatalog when one of them is no row of the data file.
    */
  def checkInlined(file: Long, rows: Long, positions: collection.IndexedSeq[Long]): Unit =
    (positions.headOption.filter(_ < 0) ++ positions.lastOption.filter(_ >= rows)).foreach {
      found =>
        val why = s"its inlined deletes name position $found, and it has $rows rows"
        throw new LakeException(LakeError.CorruptCatalog(s"data file $file", why))
    }
}
