package ducklake.spark.maintenance.rollback

import ducklake.catalog.error.LakeException
import ducklake.catalog.model.DeleteFormat
import ducklake.catalog.types.DataFileId
import ducklake.files.delete.CompressedPositions
import ducklake.files.delete.DeleteFileWriter
import ducklake.files.delete.DeletedPositions
import ducklake.files.delete.NewDeletes
import ducklake.files.delete.StoredDeletes
import ducklake.spark.testkit.LocalSpark
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

/** Positions that a rollback has to know, of few and of many data files. */
final class PositionsJobSpec extends AnyFunSuite with LocalSpark {

  private val conf = new Configuration(false)
  private val folder = Files.createTempDirectory("ducklake-positions")
  private val job = new PositionsJob("main.t", conf)

  private def stored(name: String, positions: Long*): StoredDeletes = {
    val path = s"file:$folder/$name.parquet"
    val target = NewDeletes(path, "/data/f.parquet", "main.t", isEncrypted = false)
    val written = DeleteFileWriter.write(target, DeletedPositions(positions.toArray), conf)
    val count = positions.size.toLong
    StoredDeletes(path, DeleteFormat.ParquetPositions, written.sizeBytes, count, dataRows = 100L)
  }

  /** Of a file without deletes in the past; of every third file no row was deleted since. */
  private def since(number: Int, prefix: String): SoughtPositions = {
    val later = if (number % 3 == 0) Seq.empty else Seq(number.toLong + 10)
    val past = DeletesAt(Vector(stored(s"$prefix-past-$number", 1L, 2L)), 3L, Array.emptyLongArray)
    val now = stored(s"$prefix-now-$number", (Seq(1L, 2L) ++ later)*)
    SoughtPositions.DeletedSince(
      DataFileId(number.toLong),
      past,
      DeletesAt(Vector(now), 4L, Array(7)),
    )
  }

  private def positions(found: Map[DataFileId, CompressedPositions]): Map[Long, Vector[Long]] =
    found.map { case (file, some) => file.value -> some.positions.toVector }

  test("many delete files are read by tasks, few by the driver") {
    def expected(files: Int) = (0 until files).map { number =>
      val later = if (number % 3 == 0) Vector.empty else Vector(number.toLong + 10)
      number.toLong -> (7L +: later)
    }.toMap
    val (many, few) =
      ((0 until 40).map(since(_, "many")).toVector, (0 until 8).map(since(_, "few")).toVector)
    var found = Map.empty[DataFileId, CompressedPositions]

    assert(tasksOf { found = job.run(many) } > 1)
    assert(positions(found) == expected(40))
    assert(tasksOf { found = job.run(few) } == 0)
    assert(positions(found) == expected(8))
  }

  test("many positions of one file are read by a task") {
    val deletes = DeletesAt(Vector(stored("large", 0L, 2L)), 3L, Array.emptyLongArray)
    val sought = SoughtPositions.Remaining(DataFileId(1), "/data/f.parquet", 1_000_001L, deletes)
    var found = Map.empty[DataFileId, CompressedPositions]

    assert(tasksOf { found = job.run(Vector(sought)) } == 1)
    assert(found(DataFileId(1)).size == 999_999L)
    assert(found(DataFileId(1)).positions.asSequence.take(3) == Seq(1L, 3L, 4L))
  }

  test("the rows that a file still has are the others, and files without any are left out") {
    def left(file: Long, deleted: Long*) = {
      val deletes = DeletesAt(Vector(stored(s"left-$file", deleted*)), 3L, Array(0))
      SoughtPositions.Remaining(DataFileId(file), "/data/f.parquet", 4L, deletes)
    }

    assert(positions(job.run(Vector(left(1, 2), left(2, 1, 2, 3)))) == Map(1L -> Vector(1L, 3L)))
  }

  test("a file of more rows than an array holds is named") {
    val none = DeletesAt(Vector.empty, 3L, Array.emptyLongArray)
    val sought = SoughtPositions.Remaining(DataFileId(1), "/data/f.parquet", 1L << 40, none)

    val error = intercept[LakeException](job.run(Vector(sought))).error

    assert(error.parameters("path") == "/data/f.parquet")
    assert(error.parameters("why").contains("positions of 1099511627776 rows are too many"))
  }

  test("a delete file that is gone is named by the same error, in tasks and on the driver") {
    val gone =
      StoredDeletes(s"file:$folder/gone.parquet", DeleteFormat.ParquetPositions, 9L, 1L, 100L)
    def sought(number: Int) = {
      val deletes = DeletesAt(Vector(gone), 3L, Array.emptyLongArray)
      SoughtPositions.Remaining(DataFileId(number.toLong), "/data/f.parquet", 4L, deletes)
    }
    for (files <- Seq(1, 40)) {
      session.sparkContext.setLogLevel("OFF")
      val error = intercept[LakeException](job.run((0 until files).map(sought).toVector)).error
      assert(
        error.condition == "DUCKLAKE_UNREADABLE_FILE" && error.message.contains("gone.parquet")
      )
    }
  }
}
