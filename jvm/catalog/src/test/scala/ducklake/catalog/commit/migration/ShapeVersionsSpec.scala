package ducklake.catalog.commit.migration

import org.scalatest.funsuite.AnyFunSuite

/** Which schema versions a migration adds. That DuckDB reads the files then is
  * tests/interop/test_migration.py.
  */
class ShapeVersionsSpec extends AnyFunSuite {

  private def completed(known: (Long, Long)*)(changes: Long*)(
      reserved: Long*
  ): Set[(Long, Long)] =
    ShapeVersions
      .completed(
        known.map { case (begin, version) => ShapeVersion(begin, version) }.toVector,
        changes.toVector,
        reserved.toSet,
      )
      .map(one => (one.begin, one.version))
      .toSet

  test("a change between two versions gets a number between theirs") {
    val all = completed((1L, 1L), (6L, 3L))(1, 3)()

    assert(all == Set((1L, 1L), (3L, 2L), (6L, 3L)))
  }

  test("numbers grow with the snapshots, also before the first version") {
    val all = completed((12L, 7L), (15L, 8L))(1, 11, 5)()

    assert(all == Set((1L, 1L), (5L, 2L), (11L, 3L), (12L, 7L), (15L, 8L)))
  }

  test("a version without a number before it begins with the change") {
    val all = completed((1L, 1L), (4L, 2L))(1, 3)()

    assert(all == Set((1L, 1L), (3L, 2L)))
  }

  test("a number that an inlined table has is not given to other columns") {
    val all = completed((1L, 1L), (6L, 4L))(1, 3)(2)

    assert(all == Set((1L, 1L), (3L, 3L), (6L, 4L)))
  }

  test("changes after the last version and a table without versions are left alone") {
    assert(completed((1L, 1L))(1, 9)() == Set((1L, 1L)))
    assert(completed()(1, 9)() == Set.empty)
  }
}
