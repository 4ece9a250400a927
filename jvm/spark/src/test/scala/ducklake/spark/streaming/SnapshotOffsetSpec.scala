package ducklake.spark.streaming

import ducklake.catalog.error.LakeException
import ducklake.catalog.model.FilesBefore
import ducklake.catalog.model.RowPlace
import ducklake.catalog.model.Snapshot
import ducklake.catalog.testkit.BrokenText
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId
import org.apache.spark.sql.connector.read.streaming.Offset
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant
import java.util.UUID

final class SnapshotOffsetSpec extends AnyFunSuite {

  private val table = UUID.fromString("0190a1b2-0000-7000-8000-000000000001")
  private val time = Instant.parse("2026-01-31T12:00:00.123456Z")

  private val seven = ReadSnapshot(SnapshotId(7), Some(time))

  /** The text is in checkpoints, so it must stay. */
  private val texts = Vector(
    SnapshotOffset.at(table, Snapshot(SnapshotId(7), time, 1, 1, 1)) ->
      s"""{"snapshot":7,"time":"2026-01-31T12:00:00.123456Z","table":"$table"}""",
    SnapshotOffset.before(table, SnapshotId(3)) -> s"""{"snapshot":2,"table":"$table"}""",
    SnapshotOffset(table, None) -> s"""{"table":"$table"}""",
    SnapshotOffset(table, None, Some(ReadPart(seven, RowPlace.before(SnapshotId(5))))) ->
      s"""{"part":{"snapshot":7,"time":"$time","adding":5},"table":"$table"}""",
    SnapshotOffset(
      table,
      Some(ReadSnapshot(SnapshotId(6), None)),
      Some(
        ReadPart(seven, RowPlace(SnapshotId(7), Some(FilesBefore(DataFileId(12), count = 3))))
      ),
    ) -> (s"""{"snapshot":6,"part":{"snapshot":7,"time":"$time","adding":7,""" +
      s""""lastFile":12,"files":3},"table":"$table"}"""),
  )

  private final class OfCheckpoint(override val json: String) extends Offset

  test("an offset is JSON, and is read back") {
    texts.foreach { case (offset, json) =>
      assert(offset.json() == json)
      val found = SnapshotOffset.of(new OfCheckpoint(json))
      assert(
        (found.table, found.read, found.part) == ((offset.table, offset.read, offset.part))
      )
    }
  }

  test("offsets are equal when their texts are") {
    texts.foreach { case (offset, json) =>
      assert(offset == new OfCheckpoint(json))
      assert(texts.count { case (other, _) => other == offset } == 1)
    }
  }

  private val refused = Vector("7", "{}", """{"snapshot":7}""", """{"table":"t"}""", "{", "") ++
    Vector("null", "[]", "\"x\"").appendedAll(
      Vector(
        """"snapshot":"7"""",
        """"snapshot":7.5""",
        """"snapshot":99999999999999999999""",
        """"snapshot":null""",
        """"snapshot":7,"time":8""",
        """"snapshot":7,"time":"now"""",
        """"part":7""",
        """"part":{}""",
        """"part":{"snapshot":7}""",
        """"part":{"snapshot":7,"adding":"5"}""",
        """"part":{"snapshot":7,"adding":5,"lastFile":12}""",
      ).map(fields => s"""{$fields,"table":"$table"}""")
    )

  test("an offset of another source, or a damaged one, is refused") {
    for (json <- refused) {
      val message = intercept[LakeException](SnapshotOffset.parse(json)).error.message
      assert(message.contains("Take another checkpoint"), json)
    }
  }

  test("no text of a checkpoint ends in another error, and none is read as another offset") {
    val thrown = new BrokenText(texts.map(_._2)).faults(5000) { json =>
      try {
        val read = SnapshotOffset.parse(json)
        if (SnapshotOffset.parse(read.json()).json() != read.json()) fail(read.json())
      } catch { case _: LakeException => () }
    }
    assert(thrown.isEmpty, thrown.take(20).mkString("\n"))
  }
}
