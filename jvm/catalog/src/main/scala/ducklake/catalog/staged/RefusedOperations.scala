package ducklake.catalog.staged

import ducklake.catalog.change.operation.Operation

/** How users call the operations that cannot be part of a transaction. */
private[staged] object RefusedOperations {

  def nameOf(operation: Operation): String = operation match {
    case Operation.RecordWrite(_, write) => write.text
    case flush: Operation.FlushInlined => s"A flush of ${flush.table.qualifiedName}"
    case merge: Operation.MergeFiles => s"Merging files of ${merge.table.qualifiedName}"
    case rewrite: Operation.RewriteFiles => s"Rewriting files of ${rewrite.table.qualifiedName}"
    case one: Operation.RecomputeStatistics =>
      s"Computing statistics of ${one.table.qualifiedName}"
    case one: Operation.RepairKeys =>
      s"Repairing partition values of ${one.table.qualifiedName}"
    case register: Operation.RegisterFiles =>
      s"Registering files with deleted rows in ${register.table.qualifiedName}"
    case _: Operation.Restoration | Operation.AssertLakeUnchanged => "Going back to a snapshot"
    case other => other.getClass.getSimpleName
  }
}
