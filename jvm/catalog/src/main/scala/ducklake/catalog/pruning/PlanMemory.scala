package ducklake.catalog.pruning

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.LakeType

/** How much memory of this process the plan of one table may take.
  *
  * The figures are those of jvm/docs/limits.md, section Memory.
  *
  * @param indexBytes of them an index of files may take
  */
final case class PlanMemory(bytes: Long, indexBytes: Long) {
  import PlanMemory.*

  /** The largest number of files that one listing may have. */
  def mostFiles: Long = bytes / ListedFile

  /** Whether an index of so many files can be read, with the statistics of columns of these types. */
  def holdsIndex(files: Long, columns: Iterable[LakeType.Primitive]): Boolean =
    files <= indexBytes / (Copies * (IndexedFile + columns.iterator.map(perFile).sum))

  /** Ends a plan of so many files. Errors: TooManyFiles. */
  def refuse(table: LakeTable, files: Long): Nothing = end(table, files.toString)

  /** Ends a plan of more files than there may be, which are not counted. Errors: TooManyFiles. */
  def refuseMore(table: LakeTable): Nothing = end(table, s"more than $mostFiles")

  private def end(table: LakeTable, files: String): Nothing =
    throw new LakeException(
      LakeError.TooManyFiles(table.qualifiedName, files, mostFiles, bytes)
    )
}

object PlanMemory {

  /** A file of a listing, and of the tasks that Spark makes of it. */
  private val ListedFile = 607L

  /** While an index is read it is in memory so many times. */
  private val Copies = 3L

  /** Id, size and partition spec of a file in an index. */
  private val IndexedFile = 24L

  /** Five eighths of the heap: what is left of a small heap beside Spark. */
  val ofHeap: PlanMemory = of(Runtime.getRuntime.maxMemory / 8 * 5)

  def of(bytes: Long): PlanMemory = PlanMemory(bytes, bytes)

  /** The statistics of a column. Bounds that are kept as texts may have 256 bytes each; most have a
    * quarter of that.
    */
  private def perFile(lakeType: LakeType.Primitive): Long = lakeType match {
    case LakeType.Varchar | LakeType.Json | LakeType.Uuid | LakeType.Blob => 145L
    case LakeType.Decimal(precision, _) if precision > 18 => 145L
    case _ => 17L
  }
}
