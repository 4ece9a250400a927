package ducklake.spark.read

import ducklake.spark.config.HadoopSettings
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.FileBatches
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.read.ReadHadoopConf
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.parquet.rowgroup.KeyTrials
import ducklake.spark.parquet.vector.ExtractedVector
import ducklake.spark.read.task.BatchReaderFactory
import ducklake.spark.read.task.InlinedReader
import ducklake.spark.read.task.PartsReader
import ducklake.spark.read.task.UnreadPart
import ducklake.spark.sparkapi.task.TaskHadoopConf
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Makes the readers that read [[ScanTask]]s as batches. */
final case class DuckLakeReaderFactory(
    spec: ReadSpec,
    conf: Option[Broadcast[TaskHadoopConf]],
    layout: BatchLayout,
) extends BatchReaderFactory {

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    partition match {
      case task: FilesTask => files(task)
      case KeyedTask(task, _) => files(task)
      case InlinedTask(rows) =>
        new InlinedReader(rows, spec.columns.map(_.inlinedType), layout.rows, extracted)
      case other => throw new IllegalArgumentException(s"not a task of ours: ${other.getClass}")
    }

  /** The batch with the values that the scan takes from variants. */
  private def extracted(batch: ColumnarBatch): ColumnarBatch =
    if (spec.columns.forall(column => column.inlinedType eq column.sparkType)) batch
    else {
      val vectors = spec.columns.zipWithIndex.map { case (column, index) =>
        ExtractedVector.over(column.sparkType, batch.column(index))
      }
      new ColumnarBatch(vectors.toArray, batch.numRows)
    }

  private def files(task: FilesTask): PartitionReader[ColumnarBatch] = {
    val settings = fileSettings
    val trials = new KeyTrials
    val filtered = spec.copy(runtime = task.runtime)
    def opened(part: FilePart): FileBatches = {
      val deletes = FileBatches.deletedPositions(part, spec.snapshot, settings)
      FileBatches.open(part, filtered, deletes, settings, layout, trials)
    }
    new PartsReader(task.parts.iterator.map { part =>
      UnreadPart(part.length, part.deletes.size, () => opened(part))
    })
  }
}

object DuckLakeReaderFactory {

  /** For tasks that read files, with the settings of the active session and of the catalog. */
  def forFiles(spec: ReadSpec, own: HadoopSettings): DuckLakeReaderFactory =
    forInlined(spec).copy(conf = Some(ReadHadoopConf.broadcast(SparkSession.active, own)))

  /** For tasks that read only inlined rows. Hadoop's settings are not sent to them. */
  def forInlined(spec: ReadSpec): DuckLakeReaderFactory =
    DuckLakeReaderFactory(spec, conf = None, BatchLayout.ofSession())
}
