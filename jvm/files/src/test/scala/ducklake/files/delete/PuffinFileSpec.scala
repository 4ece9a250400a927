package ducklake.files.delete

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.DeleteFormat
import ducklake.files.delete.PuffinSamples.Blob
import ducklake.files.delete.PuffinSamples.atSnapshot
import ducklake.files.delete.PuffinSamples.container
import ducklake.files.delete.PuffinSamples.vector
import ducklake.files.delete.PuffinSamples.withFooter
import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

class PuffinFileSpec extends AnyFunSuite {

  private val conf = new Configuration

  private def written(bytes: Array[Byte]): String =
    Files.write(Files.createTempFile("ducklake", "-delete.puffin"), bytes).toString

  private val rows = 1L << 40

  private def stored(bytes: Array[Byte]): StoredDeletes =
    StoredDeletes(written(bytes), DeleteFormat.PuffinVector, bytes.length.toLong, 0L, rows)

  private def at(bytes: Array[Byte], snapshot: Long): Vector[Long] =
    DeleteFileReader
      .read(stored(bytes), "main.t", conf)
      .at(snapshot)
      .toVector

  private def dated(bytes: Array[Byte], begin: Long): Vector[(Long, Long)] = {
    val found = Vector.newBuilder[(Long, Long)]
    DeleteFileReader
      .readWithSnapshots(stored(bytes), "main.t", begin, conf)
      .foreach((position, snapshot) => found += position -> snapshot)
    found.result()
  }

  private def refusal(bytes: Array[Byte]): String = why(at(bytes, 9))

  private def why(read: => Any): String =
    intercept[LakeException](read).error match {
      case LakeError.UnreadableFile(_, "main.t", why, _) => why
      case other => fail(other.toString)
    }

  private val large = 5L << 32 | 7L

  private val history = container(
    atSnapshot(9, 1, 4, 70000, large),
    atSnapshot(4, 4),
    atSnapshot(6, 4, 70000),
  )

  test("a container gives the vector of the last snapshot before, wherever it stands") {
    assert(at(history, 3) == Vector())
    assert(at(history, 4) == Vector(4L))
    assert(at(history, 5) == Vector(4L))
    assert(at(history, 6) == Vector(4L, 70000L))
    assert(at(history, 8) == Vector(4L, 70000L))
    assert(at(history, 9) == Vector(1L, 4L, 70000L, large))
    assert(at(history, 100) == Vector(1L, 4L, 70000L, large))
  }

  test("a position was deleted at the first snapshot whose vector contains it") {
    assert(dated(history, begin = 4) == Vector(1L -> 9L, 4L -> 4L, 70000L -> 6L, large -> 9L))
  }

  test("a bare vector counts at every snapshot, from the begin of its file") {
    assert(at(vector(2, 3), 1) == Vector(2L, 3L))
    assert(dated(vector(2, 3), begin = 8) == Vector(2L -> 8L, 3L -> 8L))
  }

  test("vectors without a snapshot are united, from the begin of their file") {
    val undated = container(Blob(vector(2, 3), "{}"), Blob(vector(3, 9), """{"a":"b"}"""))

    assert(at(undated, 1) == Vector(2L, 3L, 9L))
    assert(dated(undated, begin = 5) == Vector(2L -> 5L, 3L -> 5L, 9L -> 5L))
  }

  test("blobs of other types are passed over") {
    val sketch = Blob(Array[Byte](1, 2, 3), "{}", "apache-datasketches-theta-v1")

    assert(at(container(sketch, atSnapshot(2, 8)), 2) == Vector(8L))
    assert(refusal(container(sketch)).contains("no deletion vector"))
    assert(refusal(container()).contains("no deletion vector"))
  }

  test("containers that DuckDB refuses are refused, with the reason") {
    val mixed = container(atSnapshot(2, 8), Blob(vector(9), "{}"))
    val twice = container(atSnapshot(2, 8), atSnapshot(2, 9))
    val noNumber = container(Blob(vector(8), """{"ducklake-snapshot-id":"x"}"""))
    val noText = container(Blob(vector(8), """{"ducklake-snapshot-id":3}"""))

    assert(refusal(mixed).contains("with and without a snapshot"))
    assert(refusal(twice).contains("two deletion vectors have one snapshot"))
    assert(refusal(noNumber).contains("a blob's snapshot is"))
    assert(refusal(noText).contains("a blob's snapshot is"))
    assert(refusal(withFooter(Array(), "{}", flags = 1)).contains("compressed"))
    assert(refusal(withFooter(Array(), "{}", flags = 2)).contains("unknown flags"))
    assert(refusal(withFooter(Array(), "{}", flags = 0)).contains("no list of blobs"))
    assert(refusal(withFooter(Array(), """{"blobs":[{}]}""", flags = 0)).contains("no type"))
    assert(refusal(withFooter(Array(), "{", flags = 0)).contains("damaged"))
  }

  test("a place outside the file is refused") {
    def placed(offset: String, length: String): Array[Byte] = {
      val place = s""""offset":$offset,"length":$length"""
      withFooter(vector(1), s"""{"blobs":[{"type":"deletion-vector-v1",$place}]}""", flags = 0)
    }
    val size = vector(1).length.toLong

    assert(at(placed("4", s"$size"), 1) == Vector(1L))
    Vector("3" -> s"$size", "4" -> s"${size + 1}", "5" -> s"$size", "-1" -> "1", "4" -> "-1")
      .foreach { case (offset, length) =>
        assert(refusal(placed(offset, length)).contains("outside the file"), (offset, length))
      }
    assert(refusal(placed("9223372036854775807", "9223372036854775807")).contains("outside"))
    assert(refusal(placed("99999999999999999999", "1")).contains("has no place"))
    assert(refusal(placed("4.5", "1")).contains("has no place"))
    assert(refusal(placed("\"4\"", "1")).contains("has no place"))
  }

  test("a position beyond the rows of the data file is refused, at any snapshot") {
    val some = stored(container(atSnapshot(4, 4), atSnapshot(9, 4, 9))).copy(dataRows = 9)

    assert(
      why(DeleteFileReader.read(some, "main.t", conf))
        .contains("position 9 is no row of the data file, which has 9")
    )
    assert(why(DeleteFileReader.readWithSnapshots(some, "main.t", 4, conf)).contains("no row"))
    assert(
      DeleteFileReader.read(some.copy(dataRows = 10), "main.t", conf).at(9).toVector == Vector(4, 9)
    )
  }

  test("a file with more or fewer bytes than the catalog says is refused") {
    val file = stored(vector(1, 2))
    Vector(-1L, 0L, file.sizeBytes - 1, file.sizeBytes + 1, 1L << 40).foreach { size =>
      val read = why(DeleteFileReader.read(file.copy(sizeBytes = size), "main.t", conf))
      assert(read.contains(s"$size bytes"), size)
    }
  }

  test("a container with any byte missing at its end is refused") {
    (4 until history.length).foreach(length => refusal(history.take(length)))
  }

  test("a container with any wrong byte in its vectors is refused") {
    val vectors = container(atSnapshot(4, 4), atSnapshot(9, 4, 5))
    val end = 4 + vector(4).length + vector(4, 5).length
    (4 until end).foreach { index =>
      val damaged = vectors.clone()
      damaged(index) = (damaged(index) ^ 0x41).toByte

      intercept[LakeException](dated(damaged, 4))
    }
  }

  test("a vector whose numbers do not fit its bytes is refused") {
    val magic = Vector[Byte](-47, -45, 57, 100)
    def withCount(count: Byte, rest: Byte*): Array[Byte] =
      PuffinSamples.framed((magic ++ Vector[Byte](count, 0, 0, 0, 0, 0, 0, 0) ++ rest).toArray)

    assert(at(withCount(0), 1) == Vector())
    assert(refusal(withCount(9)).contains("number of bitmaps"))
    assert(refusal(withCount(1, 0, 0, 0, -1)).contains("negative"))
    assert(refusal(withCount(0, 1)).contains("after its last bitmap"))
    assert(refusal(PuffinSamples.framed(magic.toArray)).contains("BufferUnderflow"))
  }
}
