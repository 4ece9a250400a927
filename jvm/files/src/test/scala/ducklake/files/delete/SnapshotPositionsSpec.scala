package ducklake.files.delete

import ducklake.catalog.model.DeleteFormat
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Paths

class SnapshotPositionsSpec extends AnyFunSuite {

  private val conf = new Configuration

  private def pairs(positions: SnapshotPositions): Seq[(Long, Long)] = {
    val all = Seq.newBuilder[(Long, Long)]
    positions.foreach((position, snapshot) => all += position -> snapshot)
    all.result()
  }

  private def newPath: String =
    Files.createTempDirectory("ducklake-dated").resolve("delete.parquet").toString

  test("of a position that comes twice the first delete counts") {
    val positions = SnapshotPositions(Seq(7L -> 5L, 3L -> 9L, 7L -> 4L))

    assert(pairs(positions) == Seq(3L -> 9L, 7L -> 4L))
    assert(positions.firstSnapshot == 4L)
    assert(positions.lastSnapshot == 9L)
  }

  test("positions have an index in their order") {
    val positions = SnapshotPositions(Seq(7L -> 5L, 3L -> 9L))

    assert(Seq(0L, 3L, 4L, 7L, 8L).map(positions.indexFrom) == Seq(0, 0, 1, 1, 2))
    assert((positions.positionAt(1), positions.snapshotAt(1)) == (7L, 5L))
  }

  test("a later delete file that repeats the positions of an older one does not date them anew") {
    val older = SnapshotPositions(Seq(1L -> 3L, 2L -> 3L))
    val later = SnapshotPositions(Seq(1L -> 6L, 2L -> 6L, 8L -> 6L))

    assert(pairs(later.union(older)) == Seq(1L -> 3L, 2L -> 3L, 8L -> 6L))
  }

  test("a union of many delete files dates each position by the first that names it") {
    // Many blocks of positions, and delete files that name those of the files before and more.
    val files = (1L to 6L).map { snapshot =>
      SnapshotPositions((0L until 50000L by 7 - snapshot).map(_ -> snapshot))
    }

    val union = SnapshotPositions.union(files.toVector.reverse)

    assert(pairs(union) == pairs(files.reduce(_.union(_))))
    assert(pairs(union).map(_._1) == (0L until 50000L))
    assert(pairs(union).take(4) == Seq(0L -> 1L, 1L -> 6L, 2L -> 5L, 3L -> 4L))
  }

  test("a union of delete files that name few positions of a large file has them all") {
    val far = 3000000000L
    val files = Vector(
      SnapshotPositions(Seq(1L -> 3L, far -> 3L)),
      SnapshotPositions.empty,
      SnapshotPositions(Seq(1L -> 4L, 7L -> 4L, far -> 4L)),
      SnapshotPositions(Seq(far + 1 -> 5L)),
    )

    assert(
      pairs(SnapshotPositions.union(files)) ==
        Seq(1L -> 3L, 7L -> 4L, far -> 3L, far + 1 -> 5L)
    )
    assert(SnapshotPositions.union(Vector.empty).isEmpty)
  }

  test("negative positions of several delete files are united like others") {
    val files = Vector(0L, 1L, 2L).map(by => SnapshotPositions(Seq(-1L -> by, 1L -> by)))

    assert(pairs(SnapshotPositions.union(files)) == Seq(-1L -> 0L, 1L -> 0L))
  }

  private def target(path: String): NewDeletes =
    NewDeletes(path, "data.parquet", "main.t", isEncrypted = false)

  private def stored(path: String): StoredDeletes =
    StoredDeletes(
      path,
      DeleteFormat.ParquetPositions,
      Files.size(Paths.get(path)),
      0L,
      dataRows = 1000000L,
    )

  test("what was written with snapshots is read with them") {
    val path = newPath
    val positions = SnapshotPositions(Seq(0L -> 8L, 4L -> 2L))
    DeleteFileWriter.writeWithSnapshots(target(path), positions, conf)

    val read =
      DeleteFileReader.readWithSnapshots(stored(path), "main.t", begin = 2L, conf)
    val at5 = DeleteFileReader.read(stored(path), "main.t", conf).at(5L)

    assert(pairs(read) == Seq(0L -> 8L, 4L -> 2L))
    assert(at5.contains(4L) && !at5.contains(0L))
  }

  test("positions without snapshots were deleted when their file began") {
    val path = newPath
    DeleteFileWriter.write(target(path), DeletedPositions(Array(1L, 5L)), conf)

    val read =
      DeleteFileReader.readWithSnapshots(stored(path), "main.t", begin = 6L, conf)

    assert(pairs(read) == Seq(1L -> 6L, 5L -> 6L))
  }

  test("positions of many row groups are all read, each with its snapshot") {
    val path = newPath
    val positions = SnapshotPositions((0L until 300001L).map(at => at * 3 -> at % 7))
    DeleteFileWriter.writeWithSnapshots(target(path), positions, conf)

    val read =
      DeleteFileReader.readWithSnapshots(stored(path), "main.t", begin = 9L, conf)
    val at2 = DeleteFileReader.read(stored(path), "main.t", conf).at(2L)

    assert(pairs(read) == pairs(positions))
    assert(at2.toVector == pairs(positions).collect { case (at, by) if by <= 2 => at })
  }
}
