package ducklake.spark.delete

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.FileEncryption
import ducklake.catalog.model.FirstRowId
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.text.ValueText
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.testkit.TaskRows.column
import org.scalatest.funsuite.AnyFunSuite

/** What the statistics of files prove in the light of the partitions that a write has rows for. */
final class WrittenPartitionsSpec extends AnyFunSuite {

  private def key(at: Int, lakeType: LakeType, transform: Transform = Transform.Identity) =
    WriteKey(at, column(at.toLong + 1, s"c$at", lakeType), transform, s"c$at")

  private val file: DataFile = DataFile(
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

  private val nulls = ColumnStatistics(None, None, Some(0), Some(1), None, None)

  private def between(key: WriteKey, min: String, max: String): ColumnStatistics = {
    val lakeType = key.column.dataType match {
      case known: LakeType.Primitive => known
      case other => fail(s"$other")
    }
    def literal(text: String) = ValueText.parseCast(text, lakeType)
    ColumnStatistics(literal(min), literal(max), Some(1), Some(0), Some(false), None)
  }

  private def written(keys: WriteKey*)(partitions: Vector[Option[String]]*)(
      known: ColumnStatistics*
  ): WrittenPartitions = {
    val columns = keys.map(_.column.id).zip(known).toMap[ColumnId, ColumnStatistics]
    new WrittenPartitions(keys.toVector, partitions.toSet, Map(file.id -> columns))
  }

  /** Of a table with one key: what is decided of a file with these bounds. */
  private def answer(one: WriteKey, wanted: Option[String], known: ColumnStatistics) = {
    val partitions = written(one)(Vector(wanted))(known)
    (partitions.holdAll(file), partitions.mayHold(file))
  }

  private def answer(one: WriteKey, wanted: String, min: String, max: String): (Boolean, Boolean) =
    answer(one, Some(wanted), between(one, min, max))

  private val whole = (true, true)
  private val none = (false, false)
  private val searched = (false, true)

  private val text = key(0, LakeType.Varchar)

  test("a text is its value: NULL, the empty text and the word for NULL are three") {
    assert(answer(text, "x", "x", "x") == whole)
    assert(answer(text, "x", "X", "X") == none)
    assert(answer(text, None, nulls) == whole)
    assert(answer(text, None, between(text, "", "")) == none)
    assert(answer(text, Some("__HIVE_DEFAULT_PARTITION__"), nulls) == none)
    assert(answer(text, Some(""), nulls) == none)
    assert(answer(text, "\u00e9", "e\u0301", "e\u0301") == none)
  }

  test("a file with several values, or perhaps with NULL, is searched") {
    val one = between(text, "x", "x")
    assert(answer(text, "x", "a", "x") == searched)
    assert(answer(text, Some("x"), one.copy(nullCount = None)) == searched)
    assert(answer(text, Some("x"), one.copy(nullCount = Some(1))) == searched)
    assert(answer(text, Some("x"), one.copy(max = None)) == searched)
  }

  test("values are compared in the present type of the column") {
    assert(answer(key(0, LakeType.Decimal(10, 4)), "1.5000", "1.5", "1.5") == whole)
    assert(
      answer(key(0, LakeType.Timestamp), "2020-01-01 00:00:00", "2020-01-01", "2020-01-01") == whole
    )
    val instant = key(0, LakeType.TimestampTz)
    val noon = "2020-01-01 12:00:00+00"
    assert(answer(instant, noon, "2020-01-01 13:00:00+01", "2020-01-01 13:00:00+01") == whole)
  }

  test("floats, blobs, hashes and rounded times leave no file out") {
    assert(answer(key(0, LakeType.Float64), "1.5", "2.5", "2.5") == searched)
    assert(answer(key(0, LakeType.Float64), "1.5", "1.5", "1.5") == searched)
    assert(answer(key(0, LakeType.Float32), "1.5", "2.5", "2.5") == searched)
    assert(answer(key(0, LakeType.Float32), "1.5", "1.5", "1.5") == whole)
    assert(answer(key(0, LakeType.Blob), "a", "b", "b") == searched)
    assert(answer(key(0, LakeType.Int64, Transform.Bucket(4)), "1", "34", "34") == searched)
    val seconds = key(0, LakeType.TimestampS, Transform.Year)
    assert(answer(seconds, "2020", "2021-01-01 00:00:00", "2021-01-01 00:00:00") == searched)
  }

  test("parts of dates tell files apart, those of instants do not") {
    val month = key(0, LakeType.Date, Transform.Month)
    assert(answer(month, "2", "2020-02-01", "2020-02-29") == whole)
    assert(answer(month, "2", "2020-12-01", "2020-12-02") == none)
    assert(answer(month, "2", "2020-02-01", "2021-02-01") == searched)
    assert(answer(month, None, between(month, "2020-02-01", "2020-02-29")) == none)
    assert(answer(month, None, nulls) == whole)
    val year = key(0, LakeType.TimestampTz, Transform.Year)
    val noon = "2021-06-01 12:00:00+00"
    assert(answer(year, "2020", noon, noon) == searched)
    assert(answer(year, "2021", noon, noon) == searched)
  }

  test("of several keys those that decide are enough to leave a file out") {
    val float = key(1, LakeType.Float64)
    def both(texts: String, floats: String) =
      written(text, float)(Vector(Some("x"), Some("1.5")))(
        between(text, texts, texts),
        between(float, floats, floats),
      )

    assert(both("x", "2.5").mayHold(file))
    assert(!both("y", "1.5").mayHold(file))
    assert(!WrittenPartitions.areDecided(Vector(text, float)))
  }

  test("the values of several keys belong together") {
    val number = key(1, LakeType.Int32)
    def crossed(texts: String, numbers: String) =
      written(text, number)(Vector(Some("x"), Some("1")), Vector(Some("y"), Some("2")))(
        between(text, texts, texts),
        between(number, numbers, numbers),
      )

    assert(crossed("y", "2").holdAll(file))
    assert(!crossed("x", "2").mayHold(file))
    assert(WrittenPartitions.areDecided(Vector(text, number)))
  }

  test("a file without statistics of a key is searched") {
    val number = key(1, LakeType.Int32)
    val partial = written(text, number)(Vector(Some("x"), Some("1")))(between(text, "x", "x"))
    val missing = new WrittenPartitions(Vector(text), Set(Vector(Some("y"))), Map.empty)

    Vector(partial, missing).foreach { partitions =>
      assert(partitions.mayHold(file) && !partitions.holdAll(file))
    }
  }

  test("a file with deletes in the catalog, or rows of later snapshots, does not end unread") {
    val one = written(text)(Vector(Some("x")))(between(text, "x", "x"))
    val others = Vector(
      file.copy(inlinedDeletes = Vector(0L)),
      file.copy(visibility = RowVisibility.upTo(SnapshotId(2))),
    )

    others.foreach { other =>
      assert(!one.holdAll(other))
      assert(one.mayHold(other))
    }
  }

  test("a registered file ends unread only by values of its path") {
    val one = written(text)(Vector(Some("x")))(between(text, "x", "x"))
    val registered = file.copy(mapping = Some(MappingId(1)))

    assert(!one.holdAll(registered))
    val ofPath = Map[ColumnId, Literal](text.column.id -> Literal.Text("x"))
    assert(one.holdAll(registered.copy(constants = ofPath)))
  }
}
