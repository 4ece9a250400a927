package ducklake.spark.moving.delta

import com.fasterxml.jackson.databind.ObjectMapper
import ducklake.spark.moving.SourceDeletes
import io.delta.kernel.data.Row
import io.delta.kernel.internal.InternalScanFileUtils
import io.delta.kernel.internal.actions.DeletionVectorDescriptor
import org.apache.hadoop.fs.Path

import java.net.URI

import scala.collection.immutable.ArraySeq
import scala.jdk.CollectionConverters.MapHasAsScala
import scala.jdk.OptionConverters.RichOptional

/** A data file of a table of Delta.
  *
  * @param path decoded, as Hadoop opens it
  * @param partition the values by the names of columns in files; a column with NULL is left out
  * @param recordCount None when the log does not say it
  */
private[delta] final case class DeltaFile(
    path: String,
    sizeBytes: Long,
    partition: Map[String, String],
    recordCount: Option[Long],
    deletes: Option[SourceDeletes],
)

private[delta] object DeltaFile {

  /** @param row of the scan's files, with statistics */
  def apply(row: Row): DeltaFile = {
    val status = InternalScanFileUtils.getAddFileStatus(row)
    // An empty text stands for NULL in the log.
    val values = InternalScanFileUtils.getPartitionValues(row).asScala.filter { case (_, value) =>
      value != null && value.nonEmpty
    }
    DeltaFile(status.getPath, status.getSize, values.toMap, recordCount(row), deletes(row))
  }

  private val json = new ObjectMapper

  private def recordCount(row: Row): Option[Long] = {
    val added = row.getStruct(InternalScanFileUtils.ADD_FILE_ORDINAL)
    val at = InternalScanFileUtils.ADD_FILE_STATS_ORDINAL
    Option
      .when(!added.isNullAt(at))(json.readTree(added.getString(at)).path("numRecords"))
      .filter(_.isIntegralNumber)
      .map(_.asLong)
  }

  private def deletes(row: Row): Option[SourceDeletes] =
    Option(InternalScanFileUtils.getDeletionVectorDescriptorFromRow(row)).map { vector =>
      if (vector.isInline) SourceDeletes.InlineVector(ArraySeq.unsafeWrapArray(vector.inlineData))
      else {
        val named = vector.getAbsolutePath(row.getString(rootOf(row)))
        // A path that was made of the table's folder has escapes, a path in the log has none.
        val isEscaped = vector.getStorageType == DeletionVectorDescriptor.UUID_DV_MARKER
        val path = if (isEscaped) new Path(new URI(named)).toString else named
        val offset = vector.getOffset.toScala.fold(0L)(_.toLong)
        val size = vector.getSizeInBytes.toLong + FrameBytes
        SourceDeletes.DeletionVector(path, offset, size)
      }
    }

  private def rootOf(row: Row): Int =
    row.getSchema.indexOf(InternalScanFileUtils.TABLE_ROOT_STRUCT_FIELD.getName)

  /** The length before a vector, and the checksum behind it. */
  private val FrameBytes = 8L
}
