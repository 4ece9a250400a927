package ducklake.files.io

import jdk.jfr.Recording
import jdk.jfr.consumer.RecordingFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileAlreadyExistsException
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path as LocalPath
import java.nio.file.attribute.PosixFilePermissions

import scala.jdk.CollectionConverters.*

class StorageSpec extends AnyFunSuite {

  private val conf = new Configuration()

  private def folder(): LocalPath = Files.createTempDirectory("ducklake-storage")

  private def write(target: LocalPath, bytes: Array[Byte]): Unit = {
    val out = Storage.create(new Path(target.toUri), conf)
    try out.write(bytes)
    finally out.close()
  }

  /** The commands of processes that this process has started meanwhile. */
  private def started(body: => Unit): Seq[String] = {
    val recorded = folder().resolve("events.jfr")
    val recording = new Recording()
    try {
      recording.enable("jdk.ProcessStart"): Unit
      recording.start()
      body
      recording.stop(): Unit
      recording.dump(recorded)
    } finally recording.close()
    RecordingFile.readAllEvents(recorded).asScala.map(_.getString("command")).toSeq
  }

  test("a new local file and its folders start no process") {
    val target = folder().resolve("s/t/new.parquet")
    // Hadoop starts one process when it begins. The last one shows that the recording sees any.
    write(folder().resolve("first"), Array[Byte]())
    val commands = started {
      write(target, Array[Byte](1, 2))
      new ProcessBuilder("true").start().waitFor(): Unit
    }

    assert(commands == Seq("true"))
    assert(Files.readAllBytes(target).sameElements(Array[Byte](1, 2)))
    assert(Files.list(target.getParent).iterator.asScala.toSeq == Seq(target))
  }

  test("a new local file has the permissions that any file of this process gets") {
    val there = Files.write(folder().resolve("there"), Array[Byte]())
    val made = folder().resolve("made")
    write(made, Array[Byte]())

    def permissions(file: LocalPath): String =
      PosixFilePermissions.toString(Files.getPosixFilePermissions(file))
    assert(permissions(made) == permissions(there))
  }

  test("a file that exists is not written again") {
    val there = Files.write(folder().resolve("there"), Array[Byte](7))
    intercept[FileAlreadyExistsException](write(there, Array[Byte](1)))
    assert(Files.readAllBytes(there).sameElements(Array[Byte](7)))
  }
}
