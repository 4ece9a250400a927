package ducklake.spark.moving.delta

import ducklake.spark.job.LakeJob
import ducklake.spark.moving.RowSum
import ducklake.spark.moving.SourceRows
import io.delta.kernel.Scan
import io.delta.kernel.Table
import io.delta.kernel.data.FilteredColumnarBatch
import io.delta.kernel.data.Row
import io.delta.kernel.defaults.engine.DefaultEngine
import io.delta.kernel.engine.Engine
import io.delta.kernel.internal.InternalScanFileUtils
import io.delta.kernel.internal.data.ScanStateRow
import io.delta.kernel.internal.util.Utils
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import java.util.Optional

import scala.jdk.CollectionConverters.IteratorHasAsScala
import scala.util.Using

/** The rows of a version of a table of Delta, as the Kernel reads them. Its files are not
  * serializable, so each task reads the log and takes its share of the files.
  *
  * @param folder of the table, as Hadoop opens it
  * @param fileCount the number of its data files
  */
private[delta] final class DeltaRows(
    folder: String,
    version: Long,
    fileCount: Int,
    conf: Configuration,
) extends SourceRows {

  override def sum(shape: StructType): RowSum = {
    val (path, number) = (folder, version)
    val context = SparkSession.active.sparkContext
    val job = new LakeJob(context, s"Reading all rows of $folder", "compared rows", conf)
    val shares = context.defaultParallelism.min(fileCount).max(1)
    job
      .collect(job.oneEach(Vector.range(0, shares))) { (some, settings) =>
        some.map(DeltaRows.share(path, number, _, shares, shape, settings)).reduce(_ + _)
      }
      .foldLeft(RowSum.none)(_ + _)
  }
}

private object DeltaRows {

  /** The rows of every file whose place in the log leaves this remainder. */
  private def share(
      folder: String,
      version: Long,
      remainder: Int,
      shares: Int,
      shape: StructType,
      conf: Configuration,
  ): RowSum = {
    val engine = DefaultEngine.create(conf)
    val snapshot = Table.forPath(engine, folder).getSnapshotAsOfVersion(engine, version)
    val scan = snapshot.getScanBuilder.build()
    val state = scan.getScanState(engine)
    Using.resource(scan.getScanFiles(engine)) { batches =>
      batches.asScala
        .flatMap(batch => Using.resource(batch.getRows)(_.asScala.toVector))
        .zipWithIndex
        .collect { case (file, place) if place % shares == remainder => file }
        .map(sumOf(_, state, engine, shape))
        .foldLeft(RowSum.none)(_ + _)
    }
  }

  private def sumOf(file: Row, state: Row, engine: Engine, shape: StructType): RowSum = {
    val status = Utils.singletonCloseableIterator(InternalScanFileUtils.getAddFileStatus(file))
    val read = ScanStateRow.getPhysicalDataReadSchema(state)
    val physical = engine.getParquetHandler.readParquetFiles(status, read, Optional.empty())
    val logical = Scan.transformPhysicalData(engine, state, file, physical.map(_.getData))
    Using.resource(logical)(all => RowSum.of(all.asScala.flatMap(rows(_, shape)), shape))
  }

  private def rows(batch: FilteredColumnarBatch, shape: StructType): Iterator[InternalRow] = {
    val data = batch.getData
    val columns = shape.fields.toVector.zipWithIndex.map { case (field, at) =>
      data.getColumnVector(at) -> field.dataType
    }
    val selected = batch.getSelectionVector
    Iterator
      .range(0, data.getSize)
      .filter(at => selected.isEmpty || !selected.get.isNullAt(at) && selected.get.getBoolean(at))
      .map { at =>
        InternalRow.fromSeq(columns.map { case (vector, dataType) =>
          DeltaValues.internal(vector, at, dataType)
        })
      }
  }
}
