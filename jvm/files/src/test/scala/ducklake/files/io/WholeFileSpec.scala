package ducklake.files.io

import ducklake.catalog.error.LakeException
import ducklake.files.delete.DeleteFileWriter
import ducklake.files.delete.DeletedPositions
import ducklake.files.delete.NewDeletes
import ducklake.files.testkit.StandInStore
import org.scalatest.funsuite.AnyFunSuite

import java.io.IOException
import java.nio.file.Files

/** Files of an object store whose write fails: they are given up before they are closed. */
final class WholeFileSpec extends AnyFunSuite {

  private val folder = Files.createTempDirectory("whole")

  private def target(name: String): String = s"hdfs://store$folder/$name"

  test("a copy of a file that is not whole is given up") {
    val source = Files.write(folder.resolve("source"), Array[Byte](1, 2, 3))
    val store = new StandInStore

    val failure = intercept[LakeException] {
      FileCopier.copy(s"file:$source", target("copy"), 4L, "main.t", store.conf)
    }

    assert(failure.error.condition == "DUCKLAKE_UNREADABLE_FILE")
    assert(store.events == Seq("abort", "close"))
  }

  test("a whole copy is closed alone") {
    val source = Files.write(folder.resolve("whole"), Array[Byte](1, 2, 3))
    val store = new StandInStore

    FileCopier.copy(s"file:$source", target("wholeCopy"), 3L, "main.t", store.conf)

    assert(store.events == Seq("close"))
  }

  // Parquet's writer does not close a stream that fails.
  test("a delete file that the store does not take is given up") {
    val store = new StandInStore(room = 4)
    val deletes = NewDeletes(target("d.parquet"), "x.parquet", "main.t", isEncrypted = false)

    val failure = intercept[LakeException] {
      DeleteFileWriter.write(deletes, DeletedPositions(Array(1L, 5L)), store.conf)
    }

    assert(failure.error.condition == "DUCKLAKE_UNWRITABLE_FILE")
    assert(store.events == Seq("abort"))
  }

  test("a file is given up on an interrupted thread too, which stays interrupted") {
    val store = new StandInStore(room = 4)
    val deletes = NewDeletes(target("i.parquet"), "x.parquet", "main.t", isEncrypted = false)

    Thread.currentThread().interrupt()
    intercept[LakeException] {
      DeleteFileWriter.write(deletes, DeletedPositions(Array(1L, 5L)), store.conf)
    }

    assert(Thread.interrupted())
    assert(store.events == Seq("abort"))
  }

  test("a file whose end is not taken is given up after all") {
    var steps = Vector.empty[String]

    val failure = intercept[IOException] {
      WholeFile.written(steps :+= "abort", throw new IOException("close"))(steps :+= "write")
    }

    assert(failure.getMessage == "close" && steps == Vector("write", "abort"))
  }

  test("the error is that of the write, whatever giving up and closing say") {
    val failure = intercept[IOException] {
      WholeFile.written(throw new IOException("abort"), throw new IOException("close")) {
        throw new IOException("write")
      }
    }

    assert(failure.getMessage == "write")
    assert(failure.getSuppressed.map(_.getMessage).toSeq == Seq("abort", "close"))
  }
}
