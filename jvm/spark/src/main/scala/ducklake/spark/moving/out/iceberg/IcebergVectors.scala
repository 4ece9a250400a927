package ducklake.spark.moving.out.iceberg

import ducklake.files.io.FileFailure
import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.MetadataColumns
import org.apache.iceberg.puffin.Blob
import org.apache.iceberg.puffin.Puffin
import org.apache.iceberg.puffin.StandardBlobTypes

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters.MapHasAsJava
import scala.jdk.CollectionConverters.SeqHasAsJava
import scala.util.Using

/** The place of a deletion vector in its file, in bytes. */
private[iceberg] final case class VectorPlace(offset: Long, length: Long)

/** Writes deletion vectors, each in a Puffin file of its own.
  *
  * Source: Iceberg's Puffin specification, "deletion-vector-v1 blob type".
  */
private[iceberg] object IcebergVectors {

  /** @param path of the new file, in DuckDB's spelling
    * @param dataFile whose rows are deleted
    * @param count of these rows
    *
    * Errors: UnwritableFile.
    */
  def write(
      path: String,
      dataFile: String,
      vector: Array[Byte],
      count: Long,
      table: String,
      conf: Configuration,
  ): WrittenDeletes =
    FileFailure.writing(path, table) {
      val target = new IcebergFiles(table, conf).newOutputFile(path)
      Using.resource(Puffin.write(target).createdBy("ducklake-spark").build()) { writer =>
        val place = writer.write(blob(dataFile, vector, count))
        writer.finish()
        val size = writer.fileSize
        WrittenDeletes(size, Some(VectorPlace(place.offset, place.length)))
      }
    }

  /** A vector belongs to no snapshot: files of metadata say which ones have it. */
  private def blob(dataFile: String, vector: Array[Byte], count: Long): Blob =
    new Blob(
      StandardBlobTypes.DV_V1,
      Vector(Integer.valueOf(MetadataColumns.ROW_POSITION.fieldId)).asJava,
      -1L,
      -1L,
      ByteBuffer.wrap(vector),
      null,
      Map("referenced-data-file" -> dataFile, "cardinality" -> count.toString).asJava,
    )
}
