package ducklake.spark.delete

import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DataFileId
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.FirstRowId
import ducklake.catalog.model.PartitionId
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.LakeType
import ducklake.spark.layout.WriteKey
import ducklake.spark.testkit.TaskRows.column
import org.scalatest.funsuite.AnyFunSuite

/** What the catalog says of files in the light of the partitions that a write has rows for. */
final class WrittenPartitionsSpec extends AnyFunSuite {

  private val present = 7L

  private def key(at: Int, lakeType: LakeType, transform: Transform = Transform.Identity) =
    WriteKey(at, column(at.toLong + 1, s"c$at", lakeType), transform, s"c$at")

  private def file(layout: Long, values: (Int, Option[String])*): DataFile =
    unpartitioned.copy(partition = Some(FilePartition(PartitionId(layout), values.toMap)))

  private val unpartitioned: DataFile = DataFile(
    id = DataFileId(1),
    path = "f",
    sizeBytes = 1,
    footerSize = 0,
    recordCount = 1,
    firstRowId = FirstRowId.of(Some(0)),
    begin = SnapshotId(1),
    last = SnapshotId(1),
    visibility = RowVisibility.All,
    mapping = None,
    constants = Map.empty,
    partition = None,
    encryption = FileEncryption.Absent,
    deleteFiles = Vector.empty,
    inlinedDeletes = Vector.empty,
  )

  private def written(keys: WriteKey*)(partitions: Vector[Option[String]]*): WrittenPartitions =
    new WrittenPartitions(Some(PartitionId(present)), keys.toVector, partitions.toSet)

  /** Of a table with one key: what is said of a file with this text. */
  private def told(one: WriteKey, wanted: Option[String], stored: Option[String]) = {
    val partitions = written(one)(Vector(wanted))
    val known = file(present, 0 -> stored)
    (partitions.holdAll(known), partitions.mayHold(known))
  }

  private val whole = (true, true)
  private val none = (false, false)
  private val searched = (false, true)

  private val text = key(0, LakeType.Varchar)

  test("a text is its value: NULL, the empty text and the word for NULL are three") {
    assert(told(text, Some("x"), Some("x")) == whole)
    assert(told(text, Some("x"), Some("X")) == none)
    assert(told(text, None, None) == whole)
    assert(told(text, None, Some("")) == none)
    assert(told(text, None, Some("__HIVE_DEFAULT_PARTITION__")) == none)
    assert(told(text, Some("__HIVE_DEFAULT_PARTITION__"), None) == none)
    assert(told(text, Some(""), None) == none)
    assert(told(text, Some("\u00e9"), Some("e\u0301")) == none)
    assert(told(text, Some("1"), Some("01")) == none)
  }

  test("a value that is spelt otherwise is searched, not left out") {
    assert(told(key(0, LakeType.Int32), Some("1"), Some("01")) == searched)
    assert(told(key(0, LakeType.Int32), Some("1"), Some("true")) == searched)
    assert(told(key(0, LakeType.Decimal(10, 4)), Some("1.5000"), Some("1.50")) == searched)
    val timestamp = key(0, LakeType.Timestamp)
    assert(told(timestamp, Some("2020-01-01 00:00:00"), Some("2020-01-01")) == searched)
    assert(told(timestamp, Some("2020-01-01 00:00:00"), Some("2020-01-02")) == none)
    val instant = key(0, LakeType.TimestampTz)
    val noon = Some("2020-01-01 12:00:00+00")
    assert(told(instant, noon, Some("2020-01-01 13:00:00+01")) == searched)
    assert(told(instant, noon, Some("2020-01-01 12:00:00+01")) == none)
    val uuid = key(0, LakeType.Uuid)
    val one = "f0000000-0000-0000-0000-000000000001"
    assert(told(uuid, Some(one), Some(one.replace("f", "F"))) == searched)
  }

  test("a value that cannot be read is searched") {
    assert(told(key(0, LakeType.Int32), Some("1"), Some("one")) == searched)
    assert(told(key(0, LakeType.Timestamp), Some("2020-01-01 00:00:00"), Some("x")) == searched)
  }

  test("floats, blobs and hashes leave no file out") {
    assert(told(key(0, LakeType.Float64), Some("0.0"), Some("-0.0")) == searched)
    assert(told(key(0, LakeType.Float64), Some("nan"), Some("1.5")) == searched)
    assert(told(key(0, LakeType.Float64), Some("1.5"), Some("1.5")) == searched)
    assert(told(key(0, LakeType.Float32), Some("1.5"), Some("2.5")) == searched)
    assert(told(key(0, LakeType.Blob), Some("a"), Some("b")) == searched)
    assert(told(key(0, LakeType.Int64, Transform.Bucket(4)), Some("1"), Some("2")) == searched)
    assert(told(key(0, LakeType.Int64, Transform.Bucket(4)), Some("1"), Some("1")) == searched)
  }

  test("parts of dates tell files apart, those of instants do not") {
    val month = key(0, LakeType.Date, Transform.Month)
    assert(told(month, Some("2"), Some("2")) == whole)
    assert(told(month, Some("2"), Some("02")) == searched)
    assert(told(month, Some("2"), Some("12")) == none)
    assert(told(month, None, Some("2")) == none)
    assert(told(month, None, None) == whole)
    val year = key(0, LakeType.TimestampTz, Transform.Year)
    assert(told(year, Some("2020"), Some("2021")) == searched)
    assert(told(year, Some("2020"), Some("2020")) == searched)
  }

  test("without a layout that can be believed every file is searched") {
    val year = key(0, LakeType.Timestamp, Transform.Year)
    val partitions = new WrittenPartitions(None, Vector(year), Set(Vector(Some("2020"))))

    Vector("2020", "2021").map(stored => file(present, 0 -> Some(stored))).foreach { one =>
      assert(!partitions.holdAll(one))
      assert(partitions.mayHold(one))
    }
  }

  test("of several keys those that decide are enough to leave a file out") {
    val both = written(text, key(1, LakeType.Float64))(Vector(Some("x"), Some("1.5")))

    assert(both.mayHold(file(present, 0 -> Some("x"), 1 -> Some("2.5"))))
    assert(!both.mayHold(file(present, 0 -> Some("y"), 1 -> Some("1.5"))))
    assert(!both.areDecided)
  }

  test("the values of several keys belong together") {
    val number = key(1, LakeType.Int32)
    val crossed = written(text, number)(
      Vector(Some("x"), Some("1")),
      Vector(Some("y"), Some("2")),
    )

    assert(crossed.holdAll(file(present, 0 -> Some("y"), 1 -> Some("2"))))
    assert(!crossed.mayHold(file(present, 0 -> Some("x"), 1 -> Some("2"))))
    assert(crossed.areDecided)
  }

  test("files of other layouts, or with a value missing, are searched") {
    val number = key(1, LakeType.Int32)
    val one = written(text, number)(Vector(Some("x"), Some("1")))
    val others = Vector(
      unpartitioned,
      file(3, 0 -> Some("y"), 1 -> Some("2")),
      file(3, 0 -> Some("x"), 1 -> Some("1")),
      file(present, 0 -> Some("y")),
      file(present),
    )

    others.foreach { other =>
      assert(one.mayHold(other), other)
      assert(!one.holdAll(other), other)
    }
  }

  test("a file with deletes in the catalog, or rows of later snapshots, does not end unread") {
    val one = written(text)(Vector(Some("x")))
    val known = file(present, 0 -> Some("x"))
    val others = Vector(
      known.copy(inlinedDeletes = Vector(0L)),
      known.copy(visibility = RowVisibility.Embedded(SnapshotId(2))),
    )

    others.foreach { other =>
      assert(!one.holdAll(other))
      assert(one.mayHold(other))
    }
  }
}
