package ducklake.spark.maintenance

import ducklake.catalog.change.plan.MergeOrder
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.TableId
import ducklake.spark.config.WriteConfig
import ducklake.spark.errors.SparkErrors
import ducklake.spark.maintenance.compact.Compactor
import ducklake.spark.maintenance.compact.FilesWhere
import ducklake.spark.maintenance.compact.MergeAdjacent
import ducklake.spark.maintenance.compact.MergeSizes
import ducklake.spark.maintenance.flush.FlushInlined
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.StatementInfo
import ducklake.spark.session.WriteTarget
import ducklake.spark.sparkapi.task.BoundedJobs
import ducklake.spark.streaming.EpochUpkeep
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.slf4j.LoggerFactory

import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters.MapHasAsScala
import scala.util.control.NonFatal

/** Merges the small files and inlined rows that a stream leaves, after each so many of its epochs:
  * `flush_inlined_data` and `merge_adjacent_files` of its table, within a bounded time. A run takes
  * files that are small; each sixteenth one also those that were merged before. Each new file has a
  * commit of its own, which stays when the rest of the run is broken off.
  *
  * @param options of the stream
  */
private[spark] final class StreamUpkeep(target: WriteTarget, options: CaseInsensitiveStringMap)
    extends EpochUpkeep {
  import StreamUpkeep.*

  private val log = LoggerFactory.getLogger(classOf[StreamUpkeep])

  override def after(epoch: Long): Unit = {
    val jobs = new BoundedJobs(MostTime)
    try target.layout.id.foreach(runIfDue(jobs, _, epoch + 1))
    catch {
      case NonFatal(failure) if !Thread.currentThread().isInterrupted => note(failure, jobs)
    }
  }

  /** @param epochs how many the stream has had */
  private def runIfDue(jobs: BoundedJobs, id: TableId, epochs: Long): Unit = {
    val config = target.config(options)
    val every = config.compactedEpochs
    if (every > 0 && epochs % every == 0) {
      val isLarge = epochs % (LargeRuns * every) == 0
      target.session.lake.newest().flatMap(_.table(id)).foreach { table =>
        jobs.run(run(jobs, table, config, isLarge))
      }
    }
  }

  private def run(
      jobs: BoundedJobs,
      table: LakeTable,
      config: WriteConfig,
      isLarge: Boolean,
  ): Unit = {
    val info = StatementInfo.of(options.asCaseSensitiveMap().asScala.toMap)
    val call = new MaintenanceCall(target.session, info)
    val named = MaintainedTables.Named(table)
    new FlushInlined(call).flush(named): Unit
    val below = if (isLarge) config.targetFileSize else math.min(SmallBytes, config.targetFileSize)
    val sizes = MergeSizes(leastBytes = 0L, below, MostFiles, MergeOrder.MostFilesFirst)
    val merge = MergeAdjacent(sizes, groupsInCommit = 1)
    if (!jobs.areOver)
      new Compactor(call, MergeAdjacent.Name, Vector(merge), FilesWhere.All).run(named): Unit
  }

  private def note(failure: Throwable, jobs: BoundedJobs): Unit = {
    val name = target.layout.name
    val cause = SparkErrors.behind(failure)
    cause.map(_.error) match {
      case Some(_: LakeError.CommitConflict) =>
        log.info("Files of {} are not merged now: {}", name, failure.getMessage)
      case _ if jobs.areOver =>
        log.warn(BrokenOff, name, MostTime)
      case _ =>
        log.warn("Files of {} are not merged: {}", name, cause.getOrElse(failure).getMessage)
    }
  }
}

private object StreamUpkeep {

  private val MostTime = 60.seconds

  private val BrokenOff =
    "Upkeep of {} was broken off after {}: what it had committed stays. When this comes with every " +
      "run, call flush_inlined_data and merge_adjacent_files"

  /** Files of less are merged by each run. */
  private val SmallBytes = 32L << 20

  /** One run of so many takes larger files too. */
  private val LargeRuns = 16L

  /** New files of a run, each of at most the table's target size. */
  private val MostFiles = 4L
}
