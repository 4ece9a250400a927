package ducklake.catalog.commit

import ducklake.catalog.change.operation.ApplicationWrite
import ducklake.catalog.change.operation.NumberedWrite
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.StreamEpoch
import ducklake.catalog.change.operation.WriteRecord
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.option.LakeOption

/** Finds out whether the rows of a numbered write are in their table already. A streaming query
  * that is started again repeats its last epoch when it does not know whether the epoch was
  * committed, and an application repeats its last write.
  *
  * Source: ours, decision 21.
  */
private[commit] object RepeatedWrite {

  /** The write that was committed before; None when the operations are to be committed.
    *
    * @param records the options of the tables that the operations change, with the keys of the
    *   writes, read in the transaction of the commit
    *
    * Errors: CorruptCatalog; StreamCannotContinue for an epoch before the last epoch. No query
    * repeats it, so its rows may differ from the rows in the table.
    */
  def in(operations: Vector[Operation], records: Vector[LakeOption]): Option[NumberedWrite] =
    operations.collectFirst {
      case record @ Operation.RecordWrite(_, write)
          if records.filter(_.key == write.key).exists(isRepeated(record, _)) =>
        write
    }

  private def isRepeated(repeated: Operation.RecordWrite, record: LakeOption): Boolean = {
    val table = repeated.existing.fold("a new table")(_.qualifiedName)
    val last = number(table, record)
    repeated.write match {
      case epoch: StreamEpoch =>
        refuseBefore(table, epoch, last)
        epoch.number == last
      case application: ApplicationWrite => application.version <= last
    }
  }

  private def refuseBefore(table: String, epoch: StreamEpoch, last: Long): Unit =
    if (epoch.number < last)
      throw new LakeException(
        LakeError.StreamCannotContinue(
          table,
          s"it is at epoch ${epoch.number}, and the table has its epoch $last: the checkpoint was " +
            "put back from a copy, or a part of it was deleted",
          "Start the query with a new checkpoint, from where its rows are not in the table yet.",
        )
      )

  /** A text that is not a valid record could hide that the rows were committed, so it stops the
    * commit.
    */
  private def number(table: String, record: LakeOption): Long =
    WriteRecord.parse(record.value).map(_.number).getOrElse {
      throw new LakeException(
        LakeError.CorruptCatalog(
          table,
          s"the option `${record.key}` does not begin with a number but is `${record.value}`",
        )
      )
    }
}
