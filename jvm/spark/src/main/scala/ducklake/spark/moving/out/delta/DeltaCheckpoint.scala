package ducklake.spark.moving.out.delta

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.JsonNode
import ducklake.files.io.FileFailure
import ducklake.files.io.PublishedFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.ParquetReader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.OutputFile
import org.apache.parquet.io.PositionOutputStream

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

/** Checkpoints of the log of an exported table: all actions that are in force at a version, so that
  * readers need no versions before it.
  *
  * @param log the folder of the log, in Hadoop's form
  * @param table for messages
  *
  * Source: Delta's protocol, "Checkpoints".
  */
private[delta] final class DeltaCheckpoint(log: String, table: String, conf: Configuration) {

  /** Writes the checkpoint, unless there is one of this version, and makes it the last one.
    *
    * Errors: UnwritableFile.
    */
  def write(state: DeltaState): Unit = {
    val actions = state.actions
    val bytes = DeltaCheckpoint.bytes(actions.iterator.map(CheckpointRows.row), conf)
    val file = s"$log/${DeltaCheckpoint.file(state.version)}"
    PublishedFile.create(file, table, Iterator(bytes), conf): Unit
    val hint = DeltaJson.empty().put("version", state.version).put("size", actions.size.toLong)
    PublishedFile.replace(
      s"$log/${DeltaCheckpoint.Hint}",
      table,
      hint.toString.getBytes(UTF_8),
      conf,
    )
  }

  /** The version that readers take for the last one with a checkpoint; -1 for a hint that nobody can
    * read; None for no hint: readers list the folder then.
    *
    * Errors: UnreadableFile.
    */
  def hinted: Option[Long] = {
    val file = s"$log/${DeltaCheckpoint.Hint}"
    FileFailure
      .naming(file, table) {
        val path = new Path(file)
        val system = path.getFileSystem(conf)
        Option.when(system.exists(path)) {
          Using.resource(system.open(path))(stream => new String(stream.readAllBytes(), UTF_8))
        }
      }
      .map(DeltaCheckpoint.hinted)
  }

  /** The actions of a checkpoint. Errors: UnreadableFile. */
  def read(file: String): Vector[JsonNode] =
    FileFailure.naming(s"$log/$file", table) {
      val builder = ParquetReader.builder(new GroupReadSupport, new Path(s"$log/$file"))
      Using.resource(builder.withConf(conf).build()) { reader =>
        Iterator.continually(reader.read()).takeWhile(_ != null).map(CheckpointRows.action).toVector
      }
    }
}

private[delta] object DeltaCheckpoint {

  /** The file that names the last checkpoint. */
  val Hint = "_last_checkpoint"

  /** As many versions as Delta's own writers write between checkpoints by default. */
  val Interval = 10L

  def file(version: Long): String = f"$version%020d.checkpoint.parquet"

  /** The version of a checkpoint, by the name of its file. */
  def version(file: String): Option[Long] = file match {
    case named(digits) => digits.toLongOption
    case _ => None
  }

  private def hinted(text: String): Long =
    try DeltaJson.mapper.readTree(text).path("version").asLong(-1L)
    catch { case _: JsonProcessingException => -1L }

  private val named = """(\d{20})\.checkpoint\.parquet""".r

  private def bytes(rows: Iterator[Group], conf: Configuration): Array[Byte] = {
    val file = new BytesFile
    val builder = ExampleParquetWriter.builder(file).withType(CheckpointRows.schema).withConf(conf)
    val codec = CompressionCodecName.SNAPPY
    Using.resource(builder.withCompressionCodec(codec).withRowGroupSize(RowGroupBytes).build()) {
      writer => rows.foreach(writer.write)
    }
    file.bytes.toByteArray
  }

  private val RowGroupBytes = 16L * 1024 * 1024

  /** A file in memory: readers that list the log may only find whole checkpoints. */
  private final class BytesFile extends OutputFile {
    val bytes: ByteArrayOutputStream = new ByteArrayOutputStream

    override def create(blockSizeHint: Long): PositionOutputStream = new PositionOutputStream {
      override def getPos: Long = bytes.size.toLong
      override def write(byte: Int): Unit = bytes.write(byte)
      override def write(some: Array[Byte], start: Int, length: Int): Unit =
        bytes.write(some, start, length)
    }

    override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream =
      create(blockSizeHint)

    override def supportsBlockSize(): Boolean = false

    override def defaultBlockSize(): Long = 0L
  }
}
