package ducklake.files.io

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.path.LocalPath
import org.apache.parquet.hadoop.metadata.ParquetMetadata

import scala.jdk.CollectionConverters.*

/** Compares the number of rows of a data file with the catalog's. The catalog's number decides
  * whether all rows of the file are deleted, so a wrong number would lose rows.
  *
  * @param footer of the file, or of a part: with the row groups whose middle is in the part
  * @param rows of the whole file in the catalog
  * @param filename as DuckDB shows it, for messages
  * @param table for messages
  */
final class FooterRows(footer: ParquetMetadata, rows: Long, filename: String, table: String) {

  private val found =
    footer.getBlocks.asScala.lastOption.fold(0L)(last => last.getRowIndexOffset + last.getRowCount)

  /** Errors: UnreadableFile when the file has another number of rows. */
  def checkWhole(): Unit = if (found != rows) refuse()

  /** Like [[checkWhole]], as far as the row groups of a part show it.
    *
    * @param isLast whether the part has the end of the file
    */
  def checkPart(isLast: Boolean): Unit =
    if (found > rows || (isLast && found > 0 && found < rows)) refuse()

  private def refuse(): Nothing = {
    val why = s"it has $found rows, and the catalog says $rows"
    throw new LakeException(LakeError.UnreadableFile(LocalPath.absolute(filename), table, why))
  }
}
