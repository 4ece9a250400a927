package ducklake.catalog.registration

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

final class FileRegistrationSpec extends AnyFunSuite {

  private val columns = Vector(
    Columns.leaf(1, "a", LakeType.Int32),
    Columns.leaf(2, "p", LakeType.Int32),
  )
  private val a: FileColumn = FileColumn.Leaf("a", 0, Some(LakeType.Int32))
  private val p: FileColumn = FileColumn.Leaf("p", 1, Some(LakeType.Int32))
  private val strict = MatchRules(allowsMissing = false, ignoresExtra = false)

  private def whole(value: Long): ColumnStatistics =
    ColumnStatistics(
      Some(Literal.Integral(value)),
      Some(Literal.Integral(value)),
      Some(3L),
      Some(0L),
      None,
      Some(9L),
    )

  private def of(
      path: String,
      fields: Vector[FileColumn],
      keys: Vector[PartitionKey],
      usesPathKeys: Boolean = true,
      withoutBounds: Set[ColumnId] = Set.empty,
  ): Either[Refusal, Registrable] =
    new FileRegistration(RegistrationRequest(columns, keys, strict, usesPathKeys, withoutBounds))
      .of(FileFacts(path, 3L, fields, _ => whole(7)))

  private val byP = Vector(PartitionKey(0, ColumnId(2), Transform.Identity))
  private val byBucket = Vector(PartitionKey(0, ColumnId(2), Transform.Bucket(4)))

  test("a column that the file lacks comes from the path") {
    val found = of("/in/p=7/x", Vector(a), Vector.empty)

    assert(
      found.map(_.statistics.get(ColumnId(2)).flatMap(_.min)) ==
        Right(Some(Literal.Integral(7)))
    )
    assert(found.map(_.partition) == Right(None))
    assert(of("/in/p=7/x", Vector(a), Vector.empty, usesPathKeys = false).isLeft)
  }

  test("a value below minus infinity is refused, also inside of another column") {
    val times = Vector(
      LakeType.Date -> Literal.Date(Int.MinValue),
      LakeType.Timestamp -> Literal.Timestamp(Long.MinValue),
      LakeType.TimestampNs -> Literal.Timestamp(Long.MinValue),
    )

    times.foreach { case (lakeType, smallest) =>
      val inside = Columns.struct(1, "s")(Columns.leaf(2, "t", lakeType))
      val field = FileColumn.StructOf("s", Vector(FileColumn.Leaf("t", 0, Some(lakeType))))
      val request =
        RegistrationRequest(Vector(inside), Vector.empty, strict, usesPathKeys = false, Set.empty)
      def of(min: Literal) =
        new FileRegistration(request)
          .of(FileFacts("/in/x", 3L, Vector(field), _ => whole(7).copy(min = Some(min))))

      assert(of(smallest).left.map(_.why.contains("`s.t`")) == Left(true), lakeType)
      assert(of(Literal.Timestamp(-Long.MaxValue)).isRight, lakeType)
    }
  }

  test("a partition key comes from the path, else from the statistics") {
    assert(of("/in/p=7/x", Vector(a), byP).map(_.partition) == Right(Some(Vector(Some("7")))))
    assert(of("/in/x", Vector(a, p), byP).map(_.partition) == Right(Some(Vector(Some("7")))))
    assert(
      of("/in/bucket=3/x", Vector(a, p), byBucket).map(_.partition) ==
        Right(Some(Vector(Some("3"))))
    )
    assert(of("/in/x", Vector(a, p), byBucket).map(_.partition) == Right(Some(Vector(Some("3")))))
  }

  test("columns without bounds have counts only, but values of the path are kept") {
    val both = Set(ColumnId(1), ColumnId(2))
    def bounds(found: Either[Refusal, Registrable]) =
      found.map(_.statistics.toVector.sortBy(_._1.value).map(entry => entry._2.min))

    val seven = Some(Literal.Integral(7))
    assert(
      bounds(of("/in/x", Vector(a, p), byP, withoutBounds = both)) == Right(Vector(None, None))
    )
    assert(
      bounds(of("/in/p=7/x", Vector(a), byP, withoutBounds = both)) == Right(Vector(None, seven))
    )
    val of2 = of("/in/x", Vector(a, p), byP, withoutBounds = Set(ColumnId(2)))
    assert(bounds(of2) == Right(Vector(seven, None)))
    assert(of2.map(_.partition) == Right(Some(Vector(Some("7")))))
    assert(of2.map(_.statistics(ColumnId(2)).nullCount) == Right(Some(0L)))
  }

  test("the whole bounds prove a partition value, and the statistics have truncated ones") {
    val long = "a" * 300
    val text = Columns.leaf(2, "p", LakeType.Varchar)
    val field = FileColumn.Leaf("p", 1, Some(LakeType.Varchar))
    val known = whole(7).copy(min = Some(Literal.Text(long)), max = Some(Literal.Text(long)))
    val found = new FileRegistration(
      RegistrationRequest(Vector(text), byP, strict, usesPathKeys = true, Set.empty)
    ).of(FileFacts("/in/x", 3L, Vector(field), _ => known))

    assert(found.map(_.partition) == Right(Some(Vector(Some(long)))))
    val bounds = found.map(_.statistics(ColumnId(2))).map(of => (of.min, of.max))
    val (min, max) = (Literal.Text("a" * 256), Literal.Text("a" * 255 + "b"))
    assert(bounds == Right((Some(min), Some(max))))
  }

  test("a path that the file contradicts is refused") {
    assert(of("/in/p=8/x", Vector(a, p), byP).isLeft)
    assert(of("/in/p=8/x", Vector(a, p), Vector.empty).isLeft)
    assert(of("/in/bucket=1/x", Vector(a, p), byBucket).isLeft)
    assert(of("/in/p=abc/x", Vector(a), byP).isLeft)
  }

  test("a column of the file that the path replaces must be known to have its value") {
    val unknown = whole(7).copy(min = None, max = None, nullCount = None, valueCount = None)
    val wide = whole(7).copy(max = Some(Literal.Integral(8)))
    def of(known: ColumnStatistics, rows: Long = 3L): Either[Refusal, Registrable] =
      new FileRegistration(
        RegistrationRequest(columns, Vector.empty, strict, usesPathKeys = true, Set.empty)
      ).of(FileFacts("/in/p=7/x", rows, Vector(a, p), _ => known))

    assert(of(whole(7)).isRight)
    assert(of(unknown).left.exists(_.why.contains("may have rows with other values")))
    assert(of(wide).isLeft)
    assert(of(unknown, rows = 0L).isRight)
  }

  test("the default of a column that the file lacks must be of the partition of the path") {
    val lenient = MatchRules(allowsMissing = true, ignoresExtra = false)
    def of(path: String, default: Option[String]): Either[Refusal, Registrable] = {
      val day = Columns.leaf(3, "d", LakeType.Date).copy(initialDefault = default)
      val byYear = Vector(PartitionKey(0, ColumnId(3), Transform.Year))
      val all = columns.take(1) :+ day
      new FileRegistration(
        RegistrationRequest(all, byYear, lenient, usesPathKeys = true, Set.empty)
      ).of(FileFacts(path, 3L, Vector(a), _ => whole(7)))
    }

    assert(of("/in/year=2020/x", None).left.exists(_.why.contains("has NULL in `d`")))
    assert(of("/in/year=2020/x", Some("2021-05-06")).left.exists(_.why.contains("2021-05-06")))
    assert(of("/in/year=2020/x", Some("no date")).isLeft)
    val right = of("/in/year=2021/x", Some("2021-05-06"))
    assert(right.map(_.partition) == Right(Some(Vector(Some("2021")))))
    assert(of("/in/x", None).map(_.partition) == Right(Some(Vector(None))))
  }

  test("a nested column that takes no NULL must be required in the file") {
    val element = Columns.leaf(5, "element", LakeType.Int32)
    val list = Columns.list(4, "l")(element)
    val all = Vector(columns.head, list.copy(nullsAllowed = false))
    def of(isRequired: Boolean, rows: Long = 3L): Either[Refusal, Registrable] = {
      val inside = FileColumn.Leaf("element", 1, Some(LakeType.Int32))
      val fields = Vector(a, FileColumn.ListOf("L", inside, isRequired))
      new FileRegistration(
        RegistrationRequest(all, Vector.empty, strict, usesPathKeys = true, Set.empty)
      ).of(FileFacts("/in/x", rows, fields, _ => whole(7)))
    }

    assert(of(isRequired = true).isRight)
    assert(of(isRequired = false).left.exists(_.why.contains("does not say whether column `l`")))
    assert(of(isRequired = false, rows = 0L).isRight)
  }

  test("a struct that takes no NULL needs a leaf without NULL") {
    val struct = Columns.struct(4, "s")(Columns.leaf(5, "x", LakeType.Int32))
    val all = Vector(columns.head, struct.copy(nullsAllowed = false))
    val inside = FileColumn.Leaf("x", 1, Some(LakeType.Int32))
    val fields = Vector(a, FileColumn.StructOf("s", Vector(inside)))
    def of(nulls: Option[Long]): Either[Refusal, Registrable] =
      new FileRegistration(
        RegistrationRequest(all, Vector.empty, strict, usesPathKeys = true, Set.empty)
      ).of(FileFacts("/in/x", 3L, fields, _ => whole(7).copy(nullCount = nulls)))

    assert(of(Some(0L)).isRight)
    assert(of(Some(1L)).isLeft)
    assert(of(None).isLeft)
  }

  test("a file without a value for any column is refused") {
    val lenient = MatchRules(allowsMissing = true, ignoresExtra = true)
    val other = FileColumn.Leaf("z", 0, Some(LakeType.Int32))
    def of(path: String) =
      new FileRegistration(
        RegistrationRequest(columns, Vector.empty, lenient, usesPathKeys = true, Set.empty)
      ).of(FileFacts(path, 3L, Vector(other), _ => whole(7)))

    assert(of("/in/x").left.map(_.why) == Left("has no value for any column of the table"))
    assert(of("/in/p=7/x").map(_.mapping.map(_.sourceName)) == Right(Vector("p")))
  }
}
