package ducklake.spark.moving.delta

import com.fasterxml.jackson.databind.ObjectMapper
import ducklake.spark.moving.SourceDeletes
import ducklake.spark.moving.SourceFile
import io.delta.kernel.data.Row
import io.delta.kernel.internal.InternalScanFileUtils
import io.delta.kernel.internal.actions.AddFile
import io.delta.kernel.internal.actions.DeletionVectorDescriptor
import io.delta.kernel.internal.data.GenericRow
import org.apache.hadoop.fs.Path

import java.net.URI

import scala.collection.immutable.ArraySeq
import scala.jdk.CollectionConverters.MapHasAsJava
import scala.jdk.CollectionConverters.MapHasAsScala
import scala.jdk.OptionConverters.RichOptional

/** A data file of a table of Delta.
  *
  * @param path decoded, as Hadoop opens it
  * @param partition the values by the names of columns in files; a column with NULL is left out
  * @param recordCount None when the log does not say it
  * @param isElsewhere whether it is outside of the folder of the table
  */
private[delta] final case class DeltaFile(
    path: String,
    sizeBytes: Long,
    partition: Map[String, String],
    recordCount: Option[Long],
    deletes: Option[SourceDeletes],
    isElsewhere: Boolean,
)

private[delta] object DeltaFile {

  /** The path of a file, decoded, as Hadoop opens it.
    *
    * @param named as the log names it
    * @param root the address of the table
    */
  def path(named: String, root: String): String =
    InternalScanFileUtils
      .getAddFileStatus(
        scanned(new GenericRow(AddFile.SCHEMA_WITH_STATS, removed(named).asJava), root)
      )
      .getPath

  /** The row that a scan would give of a file.
    *
    * @param added the action of the log
    */
  def scanned(added: Row, root: String): Row = {
    val values = Map[Integer, AnyRef](
      Integer.valueOf(InternalScanFileUtils.ADD_FILE_ORDINAL) -> added,
      Integer.valueOf(rootPlace) -> root,
    )
    new GenericRow(InternalScanFileUtils.SCAN_FILE_SCHEMA_WITH_STATS, values.asJava)
  }

  private def removed(named: String): Map[Integer, AnyRef] = {
    def place(name: String) = Integer.valueOf(AddFile.SCHEMA_WITH_STATS.indexOf(name))
    val nothing = java.lang.Long.valueOf(0L)
    Map(place("path") -> named, place("size") -> nothing, place("modificationTime") -> nothing)
  }

  /** @param row of the scan's files, with statistics */
  def apply(row: Row): DeltaFile = {
    val status = InternalScanFileUtils.getAddFileStatus(row)
    // An empty text stands for NULL in the log.
    val values = InternalScanFileUtils.getPartitionValues(row).asScala.filter { case (_, value) =>
      value != null && value.nonEmpty
    }
    DeltaFile(
      status.getPath,
      status.getSize,
      values.toMap,
      recordCount(row),
      deletes(row),
      isElsewhere(row, status.getPath),
    )
  }

  private val json = new ObjectMapper

  /** A relative path is one below the folder. */
  private def isElsewhere(row: Row, path: String): Boolean = {
    val added = row.getStruct(InternalScanFileUtils.ADD_FILE_ORDINAL)
    val named = new Path(new URI(added.getString(added.getSchema.indexOf("path"))))
    def root = SourceFile.stored(new Path(new URI(row.getString(rootPlace))).toString)
    named.isAbsolute && !SourceFile.stored(path).startsWith(s"$root/")
  }

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
      val count = vector.getCardinality
      if (vector.isInline)
        SourceDeletes.InlineVector(ArraySeq.unsafeWrapArray(vector.inlineData), count)
      else {
        val named = vector.getAbsolutePath(row.getString(rootPlace))
        // A path that was made of the table's folder has escapes, a path in the log has none.
        val isEscaped = vector.getStorageType == DeletionVectorDescriptor.UUID_DV_MARKER
        val path = if (isEscaped) new Path(new URI(named)).toString else named
        val offset = vector.getOffset.toScala.fold(0L)(_.toLong)
        val size = vector.getSizeInBytes.toLong + FrameBytes
        SourceDeletes.DeletionVector(path, offset, size, count)
      }
    }

  private val rootPlace: Int = InternalScanFileUtils.SCAN_FILE_SCHEMA_WITH_STATS
    .indexOf(InternalScanFileUtils.TABLE_ROOT_STRUCT_FIELD.getName)

  /** The length before a vector, and the checksum behind it. */
  private val FrameBytes = 8L
}
