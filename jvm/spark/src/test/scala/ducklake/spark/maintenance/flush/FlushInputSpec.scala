package ducklake.spark.maintenance.flush

import ducklake.catalog.listing.RowVersion
import ducklake.catalog.partition.Transform
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.testkit.LocalSpark
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.WrittenRows
import org.scalatest.funsuite.AnyFunSuite

class FlushInputSpec extends AnyFunSuite with LocalSpark {

  private val spec: FlushSpec = {
    val rows = new WrittenRows(Vector(column(1, "s", LakeType.Varchar)))
    val (directory, config) = (rows.spec.directory, rows.spec.config)
    val key = WriteKey(0, Columns.leaf(1, "s", "varchar"), Transform.Identity, "s")
    FlushSpec("main.t", directory, directory, Vector.empty, Vector(key), Vector.empty, config)
  }

  private def part(partition: String, rows: Range): FlushInput = {
    val key = Vector(Literal.Text(partition))
    val versions =
      rows.map(i => RowVersion(i.toLong, SnapshotId(1), None, Vector.empty, key.map(Some(_))))
    FlushInput.of(session, spec, versions.toVector)
  }

  test("parts of one partition become one task, in the order of their versions") {
    val parts = Vector(part("a", 0 until 3), part("b", 3 until 5), part("a", 5 until 9))

    val inputs = FlushInput.together(parts)

    assert(
      inputs.map(_.versions.map(_.rowId)) == Vector(
        Vector(0L, 1L, 2L, 5L, 6L, 7L, 8L),
        Vector(3L, 4L),
      )
    )
    assert(inputs.flatMap(_.paths).sorted == parts.flatMap(_.paths).sorted)
  }

  test("parts with more rows together than a file shall have stay apart") {
    val full = FlushPages.PageRows
    val parts =
      Vector(part("a", 0 until full), part("a", full until full + 2), part("a", 0 until 1))

    assert(FlushInput.together(parts).map(_.rows) == Vector(full.toLong, 3L))
  }
}
