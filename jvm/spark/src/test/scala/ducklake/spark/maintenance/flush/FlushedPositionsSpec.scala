package ducklake.spark.maintenance.flush

import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.RowVersion
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import ducklake.spark.partitioning.WriteKey
import org.scalatest.funsuite.AnyFunSuite

class FlushedPlacesSpec extends AnyFunSuite {

  private val key = WriteKey(0, Columns.leaf(1, "s", "varchar"), Transform.Identity, "s")

  private def version(row: Long, begin: Long, text: Option[String]): RowVersion = {
    val value = text.fold[Literal](Literal.Null)(Literal.Text(_))
    RowVersion(row, SnapshotId(begin), None, Vector(value), Vector(Some(value)))
  }

  test("rows of a partition come together, in their order") {
    val rows = Vector(
      version(1, 2, Some("a")),
      version(2, 2, None),
      version(3, 3, Some("a")),
    )

    val places = FlushedPositions.of(rows, Vector(key))

    assert(places.map(_._1.partition) == Vector(Some(Vector(Some("a"))), Some(Vector(None))))
    assert(places.map(_._2.map(_.rowId)) == Vector(Vector(1L, 3L), Vector(2L)))
  }

  test(
    "a row whose key has no value in the type of today is in no partition, and needs no bucket"
  ) {
    val lost = version(1, 2, None).copy(keys = Vector(None))

    assert(FlushedPositions.partition(lost, Vector(key)).isEmpty)
    val refused = intercept[LakeException] {
      FlushedPositions.partition(lost, Vector(key.copy(transform = Transform.Bucket(4))))
    }
    assert(refused.getMessage.contains("bucket key `s`"))
  }

  test("a row comes once in a file") {
    val rows = Vector(version(1, 2, None), version(1, 3, None), version(2, 2, None))

    val places = FlushedPositions.of(rows, Vector.empty)

    assert(places.map(_._1.generation) == Vector(0, 1))
    assert(places.map(_._2.map(_.begin.value)) == Vector(Vector(2L, 2L), Vector(3L)))
  }

  test("a row with very many versions does not make as many files") {
    val rows = (1 to 1000).map(begin => version(1, begin.toLong, None)).toVector

    assert(FlushedPositions.of(rows, Vector.empty).size == FlushedPositions.MostGenerations)
  }

  test("rows are sorted by the table's order, NULL where it says") {
    val order = SortKey("s", "duckdb", SortDirection.Descending, NullOrder.First)
    val rows = Vector(version(1, 2, Some("a")), version(2, 2, Some("b")), version(3, 2, None))

    val sorted = FlushOrder.sorted(rows, Vector(FlushSortKey(0, order)))

    assert(sorted.map(_.rowId) == Vector(3L, 2L, 1L))
  }
}
