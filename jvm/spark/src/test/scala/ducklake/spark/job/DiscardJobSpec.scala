package ducklake.spark.job

import ducklake.spark.config.HadoopSettings
import ducklake.spark.session.WrittenFiles
import ducklake.spark.testkit.FaultyDisk
import ducklake.spark.testkit.LocalSpark
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

/** The files of a failed write go, whatever state Spark and the thread are in. */
final class DiscardJobSpec extends AnyFunSuite with LocalSpark {

  private def folder(files: Int): Path = {
    val made = Files.createTempDirectory("ducklake-discard")
    (0 until files).foreach(number => Files.createFile(made.resolve(s"$number.parquet")))
    made
  }

  /** More names than there are files, as a failed write has them. */
  private def names(of: Path, scheme: String, files: Int): Vector[String] =
    (0 until 2 * files).map(number => s"$scheme:$of/$number.parquet").toVector

  private def left(in: Path): Int = in.toFile.list().length

  test("many files are deleted by tasks, few by the driver") {
    val (many, few) = (folder(600), folder(10))
    val conf = new Configuration(false)

    val tasks = tasksOf(DiscardJob.run(names(many, "file", 600), conf))

    assert(tasks > 1 && left(many) == 0)
    assert(tasksOf(DiscardJob.run(names(few, "file", 10), conf)) == 0 && left(few) == 0)
  }

  test("on an interrupted thread the files are deleted by tasks too, and it stays interrupted") {
    val many = folder(600)
    var stays = false

    val tasks = tasksOf {
      Thread.currentThread().interrupt()
      DiscardJob.run(names(many, "faulty", 600), FaultyDisk.conf())
      stays = Thread.interrupted()
    }

    assert(stays && tasks > 1 && left(many) == 0)
  }

  test("the driver deletes the files when Spark has stopped") {
    val (many, others) = (folder(600), folder(600))
    session.stop()

    DiscardJob.run(names(many, "file", 600), new Configuration(false))
    WrittenFiles(names(others, "file", 600)).delete(HadoopSettings.none)

    assert(left(many) == 0 && left(others) == 0)
  }
}
