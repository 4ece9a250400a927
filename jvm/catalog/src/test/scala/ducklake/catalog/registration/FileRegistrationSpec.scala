package ducklake.catalog.registration

import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.testkit.Columns
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

  test("a path that the file contradicts is refused") {
    assert(of("/in/p=8/x", Vector(a, p), byP).isLeft)
    assert(of("/in/p=8/x", Vector(a, p), Vector.empty).isLeft)
    assert(of("/in/bucket=1/x", Vector(a, p), byBucket).isLeft)
    assert(of("/in/p=abc/x", Vector(a), byP).isLeft)
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
