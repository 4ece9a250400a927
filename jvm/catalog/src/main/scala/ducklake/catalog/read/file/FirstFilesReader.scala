package ducklake.catalog.read.file

import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.LiveRowCount
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NameMapping
import ducklake.catalog.pruning.PlanMemory
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.query.FileSql
import ducklake.catalog.types.MappingId

/** Some files of a table.
  *
  * @param files ordered by begin snapshot, then id
  * @param mappings the name mappings that the files refer to
  * @param count the number of all files of the table
  * @param bytes of all files of the table
  */
private[file] final case class FirstFiles(
    files: Vector[DataFile],
    mappings: Map[MappingId, NameMapping],
    count: Long,
    bytes: Long,
)

/** Reads files of a table until they have enough rows, so the cost does not grow with the table. */
private[file] final class FirstFilesReader(
    session: Session,
    dialect: Dialect,
    head: CatalogHead,
    table: LakeTable,
    memory: PlanMemory,
) {
  import FirstFilesReader.*

  private val sql = new FileSql(dialect, head.version)
  private val decoder = new FileDecoder(head, table.directory)
  private val parts = new FileMetadataReader(session, dialect, head, table)

  /** Files in the order of their ids, page by page, until they return so many rows for certain; all
    * files when they do not. Errors: TooManyFiles.
    */
  def read(rows: Long, values: PartitionValues): FirstFiles = {
    val pages = Iterator
      .unfold(Option(Page(after = -1L, size = FirstSize, wanted = rows))) {
        _.map(page => next(page, values))
      }
      .toVector
    val files = pages.flatMap(_._1).sortBy(file => (file.begin.value, file.id.value))
    val (count, bytes) = session
      .query(sql.count(table.id, head.snapshot.id))(row => (row.long(1), row.longOr(2, 0L)))
      .head
    FirstFiles(files, pages.flatMap(_._2).toMap, count, bytes)
  }

  private def next(
      page: Page,
      values: PartitionValues,
  ): ((Vector[DataFile], Map[MappingId, NameMapping]), Option[Page]) = {
    val statement = sql.nextDataFiles(table.id, head.snapshot.id, page.after, page.size)
    val rows = session.query(statement)(decoder.dataFile)
    val choices = FileChoices.byIds(rows.map(_.id))
    val (assembler, mappings) = FileAssembler.of(parts, table, choices, rows, values)
    val files = assembler.assemble(rows)
    val left = page.wanted - files.iterator.map(LiveRowCount.atLeast).sum
    val isLast = rows.size < page.size || left <= 0
    val after = rows.lastOption.fold(page.after)(_.id)
    val following = Page(after, (page.size * Growth).min(LargestSize), left, page.read + rows.size)
    if (!isLast && following.read > memory.mostFiles) memory.refuseMore(table)
    ((files, mappings), Option.when(!isLast)(following))
  }
}

private object FirstFilesReader {
  private val FirstSize = 100
  private val LargestSize = 5000

  /** How much larger a page is than the one before. */
  private val Growth = 4

  /** @param after the id of the last file of the page before
    * @param wanted so many rows are not yet found
    * @param read so many files were read before
    */
  private final case class Page(after: Long, size: Int, wanted: Long, read: Int = 0)
}
