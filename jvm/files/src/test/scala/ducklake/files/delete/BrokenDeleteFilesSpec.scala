package ducklake.files.delete

import ducklake.catalog.model.DeleteFormat
import ducklake.files.testkit.BrokenFile
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

final class BrokenDeleteFilesSpec extends AnyFunSuite {

  private val conf = new Configuration
  private val folder = Files.createTempDirectory("ducklake-broken")

  private val positions = DeletedPositions(Array.tabulate(3000)(_ * 7L))

  private def target(path: String): NewDeletes =
    NewDeletes(path, "data.parquet", "main.t", isEncrypted = false)

  private def written(name: String)(write: String => Any): Array[Byte] = {
    val path = folder.resolve(name)
    write(path.toString): Unit
    Files.readAllBytes(path)
  }

  private def faults(format: DeleteFormat, files: Array[Byte]*): Seq[String] = {
    val own: Path = Files.createTempDirectory(folder, "cases")
    new BrokenFile(own, files.toVector).faults(400) { (path, size) =>
      val stored = StoredDeletes(path, format, size, 3000L, dataRows = 1L << 34)
      DeleteFileReader.read(stored, "main.t", conf).at(9L): Unit
      DeleteFileReader.readWithSnapshots(stored, "main.t", 3L, conf)
    }
  }

  test("a broken delete file of Parquet is read or refused") {
    val plain =
      written("plain.parquet")(path => DeleteFileWriter.write(target(path), positions, conf))
    val dated = written("dated.parquet") { path =>
      val snapshots = Array.tabulate(3000)(number => 2L + number % 9)
      val deleted = SnapshotPositions.of(positions.toVector.toArray, snapshots)
      DeleteFileWriter.writeWithSnapshots(target(path), deleted, conf)
    }
    assert(faults(DeleteFormat.ParquetPositions, plain, dated) == Seq())
  }

  test("a broken deletion vector, or container of some, is read or refused") {
    val container = PuffinSamples.container(
      PuffinSamples.atSnapshot(4, 1, 2, 3, 1L << 33),
      PuffinSamples.atSnapshot(9, (1L to 200L)*),
    )
    val bare = DeletionVector.encode(positions)
    assert(faults(DeleteFormat.PuffinVector, container, bare) == Seq())
  }
}
