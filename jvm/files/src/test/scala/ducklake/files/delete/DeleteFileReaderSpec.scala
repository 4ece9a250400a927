package ducklake.files.delete

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
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

  private def stored(path: String, dataRows: Long): StoredDeletes = {
    val size = Files.size(Paths.get(path))
    StoredDeletes(path, DeleteFormat.ParquetPositions, size, 0L, dataRows)
  }

  private def refusal(path: String, dataRows: Long): String = {
    val file = stored(path, dataRows)
    val reads = Seq(
      intercept[LakeException](DeleteFileReader.read(file, "main.t", conf)),
      intercept[LakeException](DeleteFileReader.readWithSnapshots(file, "main.t", 1L, conf)),
    )
    reads.map(_.error).distinct match {
      case Seq(LakeError.UnreadableFile(named, "main.t", why, _)) =>
        assert(named.endsWith("delete.parquet"))
        why
      case other => fail(other.toString)
    }
  }

  private def positionsAt(path: String, snapshot: Long): Seq[Long] = {
    val found = DeleteFileReader.read(stored(path, dataRows = 20L), "main.t", conf).at(snapshot)
    (0L until 20L).filter(found.contains)
  }

  test("positions that a later snapshot deleted are left out, wherever they stand") {
    val path = written(1L -> 4L, 2L -> 9L, 5L -> 4L, 8L -> 9L, 9L -> 6L)

    assert(positionsAt(path, snapshot = 3L) == Seq())
    assert(positionsAt(path, snapshot = 4L) == Seq(1L, 5L))
    assert(positionsAt(path, snapshot = 6L) == Seq(1L, 5L, 9L))
    assert(positionsAt(path, snapshot = 9L) == Seq(1L, 2L, 5L, 8L, 9L))
  }

  test("a position that is no row of the data file is refused") {
    assert(refusal(written(1L -> 4L, 10L -> 4L), 10L).contains("position 10 is no row"))
    assert(refusal(written(-1L -> 4L, 3L -> 4L), 10L).contains("position -1 is no row"))
    assert(refusal(written(Long.MaxValue -> 4L), 10L).contains("no row"))
    assert(refusal(written(Long.MinValue -> 4L), 10L).contains("no row"))
  }

  test("a delete file with more positions than its data file has rows is refused") {
    val path = written(1L -> 4L, 1L -> 5L, 1L -> 6L)

    assert(refusal(path, 2L).contains("it has 3 positions, and its data file 2 rows"))
  }
}
