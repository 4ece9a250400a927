package ducklake.spark.maintenance.flush

import ducklake.catalog.listing.RowVersion
import ducklake.catalog.partition.Transform
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.WrittenRows
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.mutable

class FlushPagesSpec extends AnyFunSuite {

  private val key = WriteKey(0, Columns.leaf(1, "s", "varchar"), Transform.Identity, "s")

  private val spec: FlushSpec = {
    val rows = new WrittenRows(Vector(column(1, "s", ducklake.catalog.types.LakeType.Varchar)))
    val (directory, config) = (rows.spec.directory, rows.spec.config)
    FlushSpec("main.t", directory, directory, Vector.empty, Vector(key), Vector.empty, config)
  }

  private final class Pages extends FlushPages.Taker {
    val taken = mutable.ArrayBuffer.empty[Vector[RowVersion]]
    def begin(): Unit = taken.clear()
    def page(versions: Vector[RowVersion]): Unit = taken += versions
  }

  private def version(row: Long, partition: String, text: String): RowVersion = {
    val (value, ofKey) = (Vector(Literal.Text(text)), Vector(Literal.Text(partition)))
    RowVersion(row, SnapshotId(1), None, value, ofKey.map(Some(_)))
  }

  private def pagesOf(versions: Iterator[RowVersion]): Vector[Vector[RowVersion]] = {
    val taken = new Pages
    val pages = new FlushPages(spec, taken)
    pages.begin()
    versions.foreach(pages.add)
    pages.finish()
    assert(pages.size == taken.taken.map(_.size.toLong).sum)
    taken.taken.toVector
  }

  test("versions that are few stay together, and go to pages when they have many rows or bytes") {
    val taken = new Pages
    val few = new FewVersions(new FlushPages(spec, taken))
    def versions(count: Int, text: String): Iterator[RowVersion] =
      Iterator.range(0, count).map(row => version(row.toLong, s"p${row % 2}", text))
    def read(all: Iterator[RowVersion]): Option[Vector[RowVersion]] = {
      few.begin()
      all.foreach(few.add)
      few.all
    }
    val large = "x" * (FlushPages.PageBytes / 40).toInt

    assert(read(versions(10, large)).map(_.map(_.rowId)) == Some(Vector.range(0L, 10L)))
    assert(taken.taken.isEmpty)
    assert(read(versions(60, large)).isEmpty)
    assert(taken.taken.flatten.nonEmpty)
    assert(read(versions(FlushPages.PageRows, "")).map(_.size) == Some(FlushPages.PageRows))
    assert(read(versions(FlushPages.PageRows + 1, "")).isEmpty)
  }

  test("a partition gets one page, however its rows are mixed with those of others") {
    val rows = Iterator.range(0, 150000).map(i => version(i.toLong, s"p${i % 3}", "x"))

    val pages = pagesOf(rows)

    assert(pages.map(_.size) == Vector(50000, 50000, 50000))
    assert(pages.map(_.map(_.keys).distinct.size) == Vector(1, 1, 1))
    assert(pages.head.map(_.rowId) == pages.head.map(_.rowId).sorted)
  }

  test("a page ends when it has as many rows as a file shall have") {
    val pages =
      pagesOf(Iterator.range(0, FlushPages.PageRows + 1).map(i => version(i.toLong, "p", "")))

    assert(pages.map(_.size) == Vector(FlushPages.PageRows, 1))
  }

  test("pages that are not full are bounded in bytes together") {
    val text = "x" * 1024 * 1024
    val rows = Iterator.range(0, 80).map(i => version(i.toLong, s"p${i % 20}", text))

    val pages = pagesOf(rows)

    assert(pages.size > 20 && pages.map(_.size).sum == 80)
    assert(pages.forall(_.map(_.keys).distinct.size == 1))
  }

  test("many small pages end together, not one for each version that comes") {
    val text = "x" * 64 * 1024
    val rows = Iterator.range(0, 1200).map(i => version(i.toLong, s"p$i", text))
    val taken = new Pages
    val pages = new FlushPages(spec, taken)
    pages.begin()

    rows.foreach(pages.add)

    val ended = taken.taken.size
    assert(ended > 400 && ended < 800)
    pages.finish()
    assert(taken.taken.size == 1200)
  }

  test("a read that begins anew forgets the pages before") {
    val taken = new Pages
    val pages = new FlushPages(spec, taken)
    pages.begin()
    pages.add(version(1, "p", "x"))
    pages.begin()
    pages.add(version(2, "p", "x"))
    pages.finish()

    assert(pages.size == 1 && taken.taken.toVector.map(_.map(_.rowId)) == Vector(Vector(2L)))
  }
}
