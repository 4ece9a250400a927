package ducklake.files.delete

import ducklake.catalog.model.DeleteFormat
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Paths

class DeleteFileReaderSpec extends AnyFunSuite {

  private val conf = new Configuration

  /** A delete file that lists each position with the snapshot that deleted it. */
  private def written(deleted: (Long, Long)*): String = {
    val schema = MessageTypeParser.parseMessageType(
      """message deletes {
        |  required binary file_path (STRING);
        |  required int64 pos;
        |  required int64 _ducklake_internal_snapshot_id;
        |}""".stripMargin
    )
    val path = Files.createTempDirectory("ducklake-deletes").resolve("delete.parquet").toString
    val groups = new SimpleGroupFactory(schema)
    val writer = ExampleParquetWriter.builder(new Path(path)).withType(schema).build()
    try
      deleted.foreach { case (position, snapshot) =>
        writer.write(
          groups
            .newGroup()
            .append("file_path", "data.parquet")
            .append("pos", position)
            .append("_ducklake_internal_snapshot_id", snapshot)
        )
      }
    finally writer.close()
    path
  }

  private def positionsAt(path: String, snapshot: Long): Seq[Long] = {
    val stored = StoredDeletes(path, DeleteFormat.ParquetPositions, Files.size(Paths.get(path)), 0L)
    val found = DeleteFileReader.read(stored, "main.t", conf).at(snapshot)
    (0L until 20L).filter(found.contains)
  }

  test("positions that a later snapshot deleted are left out, wherever they stand") {
    val path = written(1L -> 4L, 2L -> 9L, 5L -> 4L, 8L -> 9L, 9L -> 6L)

    assert(positionsAt(path, snapshot = 3L) == Seq())
    assert(positionsAt(path, snapshot = 4L) == Seq(1L, 5L))
    assert(positionsAt(path, snapshot = 6L) == Seq(1L, 5L, 9L))
    assert(positionsAt(path, snapshot = 9L) == Seq(1L, 2L, 5L, 8L, 9L))
  }
}
