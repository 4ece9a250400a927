package ducklake.spark.streaming

import ducklake.catalog.error.LakeException
import ducklake.catalog.model.Snapshot
import ducklake.catalog.types.SnapshotId
import org.apache.spark.sql.connector.read.streaming.Offset
import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant
import java.util.UUID

final class SnapshotOffsetSpec extends AnyFunSuite {

  private val table = UUID.fromString("0190a1b2-0000-7000-8000-000000000001")
  private val time = Instant.parse("2026-01-31T12:00:00.123456Z")

  /** The text is in checkpoints, so it must stay. */
  private val texts = Vector(
    SnapshotOffset.at(table, Snapshot(SnapshotId(7), time, 1, 1, 1)) ->
      s"""{"snapshot":7,"time":"2026-01-31T12:00:00.123456Z","table":"$table"}""",
    SnapshotOffset.before(table, SnapshotId(3)) -> s"""{"snapshot":2,"table":"$table"}""",
    SnapshotOffset(table, None) -> s"""{"table":"$table"}""",
  )

  private final class OfCheckpoint(override val json: String) extends Offset

  test("an offset is JSON, and is read back") {
    texts.foreach { case (offset, json) =>
      assert(offset.json() == json)
      val found = SnapshotOffset.of(new OfCheckpoint(json))
      assert((found.table, found.read) == ((offset.table, offset.read)))
    }
  }

  test("offsets are equal when their texts are") {
    texts.foreach { case (offset, json) =>
      assert(offset == new OfCheckpoint(json))
      assert(texts.count { case (other, _) => other == offset } == 1)
    }
  }

  test("an offset of another source is refused") {
    for (json <- Vector("7", "{}", """{"snapshot":7}""", """{"table":"t"}""", "{", "")) {
      val message = intercept[LakeException](SnapshotOffset.parse(json)).error.message
      assert(message.contains("Take another checkpoint"), json)
    }
  }
}
