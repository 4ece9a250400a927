package ducklake.spark.streaming.upsert

import ducklake.catalog.error.LakeError
import ducklake.spark.config.StatementOptions
import ducklake.spark.delete.OverwriteMode
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.WriteTarget
import ducklake.spark.sparkapi.stream.UpdatesAsRows
import ducklake.spark.streaming.EpochUpkeep
import ducklake.spark.streaming.StreamOptions
import ducklake.spark.write.RowOptions
import org.apache.spark.sql.connector.write.BatchWrite
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.SupportsTruncate
import org.apache.spark.sql.connector.write.Write
import org.apache.spark.sql.connector.write.WriteBuilder
import org.apache.spark.sql.connector.write.streaming.StreamingWrite

import scala.jdk.CollectionConverters.MapHasAsScala

/** Builds the write of a stream that merges its rows by key, in output mode append or update. */
private[spark] final class UpsertBuilder(
    at: TableAtSnapshot,
    info: LogicalWriteInfo,
    upsert: UpsertOptions,
    upkeep: WriteTarget => EpochUpkeep,
) extends WriteBuilder
    with SupportsTruncate
    with UpdatesAsRows {

  /** Spark calls it in output mode complete. */
  override def truncate(): WriteBuilder = onDriver {
    SparkErrors.raise(
      LakeError.InvalidSetting(
        StatementOptions.MergeKeys,
        "is given in output mode complete, which replaces all rows",
        "Use output mode append or update, or leave it out.",
      )
    )
  }

  override def build(): Write = new Write {

    override def description(): String = s"an upsert into ${at.name}"

    override def toBatch: BatchWrite = onDriver {
      StatementOptions.checkBatchWrite(info.options().asCaseSensitiveMap().asScala.keys)
      throw new IllegalStateException(s"a batch with the options $upsert")
    }

    override def toStreaming: StreamingWrite = onDriver {
      new RowOptions(info.options()).requested(OverwriteMode.Nothing): Unit
      StreamOptions.refuseNumbers(info)
      val named = upsert.inTable(at.name, at.columns, info.schema())
      val session = at.session.immediate
      val table = new TableAtSnapshot(session, at.snapshot, at.table)
      val target = WriteTarget.existing(session, at.snapshot, at.table)
      // Upkeep would only warn of a wrong value.
      target.config(info.options()): Unit
      new UpsertEpoch(table, info, named, upkeep(target))
    }
  }
}
