package ducklake.catalog.commit

import ducklake.catalog.change.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.LakeOption
import ducklake.catalog.read.OptionScope

/** Finds out whether the rows of a streaming query's epoch are in the table already. A query that is
  * started again repeats its last epoch when it does not know whether that was committed.
  *
  * Source: ours, decision 0051.
  */
private[commit] object RepeatedEpoch {

  /** @param options of the lake, read in the transaction of the commit
    *
    * Errors: CorruptCatalog.
    */
  def isIn(operations: Vector[Operation], options: Vector[LakeOption]): Boolean =
    operations.exists {
      case Operation.RecordEpoch(table, epoch) =>
        options
          .find(option => option.key == epoch.key && option.scope == OptionScope.OfTable(table.id))
          .exists(last => number(table, last) >= epoch.number)
      case _ => false
    }

  /** A text that is no number could hide that the rows are there, so it stops the commit. */
  private def number(table: LakeTable, last: LakeOption): Long =
    last.value.toLongOption.getOrElse {
      throw new LakeException(
        LakeError.CorruptCatalog(
          table.qualifiedName,
          s"the option `${last.key}` is no number but `${last.value}`",
        )
      )
    }
}
