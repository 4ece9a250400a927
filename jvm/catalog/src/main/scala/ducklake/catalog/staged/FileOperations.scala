package ducklake.catalog.staged

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RegisteredFile
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.UncommittedIds

/** The operations that add the files of a transaction to a table.
  *
  * @param table as the commit leaves it
  * @param dataPath of the lake, ending in a separator
  */
private[staged] final class FileOperations(table: LakeTable, dataPath: String) {

  /** Adds the files in their order. A file keeps the partition keys that it was written for, unless
    * the transaction has made and replaced them; then it has none.
    */
  def of(files: Vector[StagedFile]): Vector[Operation] =
    files.foldLeft(Vector.empty[Operation]) { (done, file) =>
      val next = operation(file)
      done.lastOption.flatMap(joined(_, next)).fold(done :+ next)(done.init :+ _)
    }

  private def operation(own: StagedFile): Operation = {
    val spec = own.table.partition.filter(isStored)
    val keyed = if (spec.forall(isPresent)) table else table.copy(partition = spec)
    val file = own.file.copy(
      partition = own.file.partition.filter(_ => spec.nonEmpty),
      statistics = own.statistics(table.columns),
    )
    own.registered match {
      case None => Operation.AppendFiles(TableTarget.of(keyed), Vector(file))
      case Some(registered) =>
        val known = RegisteredFile(
          registered.path,
          registered.mapping.map(_ => 0),
          file.recordCount,
          file.physical,
          file.partition,
          file.statistics,
        )
        Operation.RegisterFiles(
          keyed,
          registered.mapping.toVector.map(_.columns),
          Vector(known),
          dataPath,
          registered.checkedBelow,
        )
    }
  }

  /** Both operations as one, when they add files of the same kind for the same keys. */
  private def joined(one: Operation, next: Operation): Option[Operation] = (one, next) match {
    case (first: Operation.AppendFiles, second: Operation.AppendFiles)
        if first.target == second.target =>
      Some(first.copy(files = first.files ++ second.files))
    case (first: Operation.RegisterFiles, second: Operation.RegisterFiles)
        if first.table == second.table =>
      val mappings = (first.mappings ++ second.mappings).distinct
      val files = second.files.map { file =>
        file.copy(mapping = file.mapping.map(at => mappings.indexOf(second.mappings(at))))
      }
      Some(first.copy(mappings = mappings, files = first.files ++ files))
    case _ => None
  }

  private def isPresent(spec: PartitionSpec): Boolean = table.partition.exists(_.id == spec.id)

  /** Whether the catalog has the spec after the commit. */
  private def isStored(spec: PartitionSpec): Boolean =
    isPresent(spec) || !UncommittedIds.contains(spec.id.value)
}
