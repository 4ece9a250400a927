package ducklake.catalog.commit

import ducklake.catalog.change.operation.EpochRecord
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.StreamEpoch
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionScope

/** Finds out whether the rows of a streaming query's epoch are in the table already. A restarted
  * query repeats its last epoch when it does not know whether the epoch was committed.
  *
  * Source: ours, decision 21.
  */
private[commit] object RepeatedEpoch {

  /** @param options of the lake, read in the transaction of the commit
    *
    * Errors: CorruptCatalog; StreamCannotContinue for an epoch before the last epoch. No query
    * repeats it, so its rows may differ from the rows in the table.
    */
  def isIn(operations: Vector[Operation], options: Vector[LakeOption]): Boolean =
    operations.exists {
      case Operation.RecordEpoch(table, epoch) =>
        options
          .find(option => option.key == epoch.key && option.scope == OptionScope.OfTable(table.id))
          .exists(last => isSame(table, epoch, number(table, last)))
      case _ => false
    }

  private def isSame(table: LakeTable, epoch: StreamEpoch, last: Long): Boolean = {
    if (epoch.number < last)
      throw new LakeException(
        LakeError.StreamCannotContinue(
          table.qualifiedName,
          s"it is at epoch ${epoch.number}, and the table has its epoch $last: the checkpoint was " +
            "put back from a copy, or a part of it was deleted",
          "Start the query with a new checkpoint, from where its rows are not in the table yet.",
        )
      )
    epoch.number == last
  }

  /** A text that is not a valid record could hide that the rows were committed, so it stops the
    * commit.
    */
  private def number(table: LakeTable, last: LakeOption): Long =
    EpochRecord.parse(last.value).map(_.number).getOrElse {
      throw new LakeException(
        LakeError.CorruptCatalog(
          table.qualifiedName,
          s"the option `${last.key}` does not begin with a number but is `${last.value}`",
        )
      )
    }
}
