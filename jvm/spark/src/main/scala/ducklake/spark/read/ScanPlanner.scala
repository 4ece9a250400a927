package ducklake.spark.read

import ducklake.catalog.model.DataFile
import ducklake.files.delete.StoredDeletes
import ducklake.files.path.PathResolver
import ducklake.spark.parquet.read.FilePart

/** Divides files into parts and packs the parts into tasks, as Spark does for its own files. Pure.
  */
object ScanPlanner {

  /** @param maxSplitBytes maximum length of a part
    * @param openCostBytes cost of opening a file, in bytes
    */
  final case class Sizes(maxSplitBytes: Long, openCostBytes: Long)

  /** Source: Spark's rule for its file sources, by `spark.sql.files.*`. */
  def sizes(
      files: Vector[DataFile],
      maxPartitionBytes: Long,
      openCostBytes: Long,
      parallelism: Int,
  ): Sizes = {
    val total = files.iterator.map(_.sizeBytes + openCostBytes).sum
    val perCore = total / parallelism.max(1)
    Sizes(maxPartitionBytes.min(openCostBytes.max(perCore)), openCostBytes)
  }

  /** The most parts of a file: the catalog may say any size. */
  private val MostParts = 10000

  /** The parts of a file: the whole file, or ranges of at most `maxSplitBytes`, larger ones where
    * they would be too many.
    *
    * Errors: EncryptedLake when the catalog has no key for an encrypted file.
    */
  def parts(file: DataFile, table: String, sizes: Sizes): Vector[FilePart] = {
    val whole = part(file, table)
    if (file.sizeBytes <= sizes.maxSplitBytes) Vector(whole)
    else {
      val most = sizes.maxSplitBytes.max(file.sizeBytes / MostParts + 1)
      (0L until file.sizeBytes by most).toVector.map { start =>
        whole.copy(start = start, length = most.min(file.sizeBytes - start))
      }
    }
  }

  /** Packs the parts into tasks by the rule "next fit", largest part first. */
  def pack(parts: Vector[FilePart], sizes: Sizes): Vector[Vector[FilePart]] =
    packBy(parts, sizes)(_.length)

  /** Like [[pack]], for other values that have a length. */
  def packBy[A](parts: Vector[A], sizes: Sizes)(length: A => Long): Vector[Vector[A]] = {
    val tasks = Vector.newBuilder[Vector[A]]
    val open = Vector.newBuilder[A]
    var bytes = 0L // a running total: the loop is linear over up to a million parts
    parts.sortBy(-length(_)).foreach { part =>
      if (bytes > 0 && bytes + length(part) > sizes.maxSplitBytes) {
        tasks += open.result()
        open.clear()
        bytes = 0
      }
      open += part
      bytes += length(part) + sizes.openCostBytes
    }
    val last = open.result()
    if (last.nonEmpty) tasks += last
    tasks.result()
  }

  private def part(file: DataFile, table: String): FilePart =
    FilePart(
      id = file.id.value,
      path = PathResolver.hadoopPath(file.path),
      filename = file.path,
      table = table,
      sizeBytes = file.sizeBytes,
      start = 0,
      length = file.sizeBytes,
      recordCount = file.recordCount,
      rowIdStart = file.rowIdStart,
      begin = file.begin.value,
      visibility = file.visibility,
      mapping = file.mapping,
      constants = file.constants,
      deletes = StoredDeletes.ofAll(file, table),
      inlinedDeletes =
        if (file.inlinedDeletes.isEmpty) Array.emptyLongArray else file.inlinedDeletes.toArray,
      footerSize = file.footerSize,
      key = file.encryption.keyOf(file.path, table),
    )
}
