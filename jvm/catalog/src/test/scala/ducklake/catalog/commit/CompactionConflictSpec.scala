package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.FileMergeSource
import ducklake.catalog.change.operation.MergedFile
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RewriteSource
import ducklake.catalog.change.operation.RewrittenFiles
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.RowScope
import ducklake.catalog.change.operation.TablePart
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.Literal
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

/** A compaction and another commit on one table conflict where they touch the same files. */
class CompactionConflictSpec extends AnyFunSuite with CommitFixtures {

  private val ofSameFiles = "deleted rows of the same files or compacted them"

  /** A lake whose table has four files of ten rows, all of snapshot 2; the last has a delete file of
    * snapshot 3.
    */
  private def lake(): Lake = {
    val lake = Lakes.open(settings(CatalogUri.Sqlite(newFile())))
    commit(lake, create(lake.prepareToWrite(), "t"))
    val base = newest(lake)
    val files = Vector.tabulate(4)(n => file(s"f$n", n * 10L, n * 10L + 9))
    commit(lake, append(tableOf(base, "t"), files: _*))
    commit(lake, delete(lake, 3))
    lake
  }

  private def newFile(): String =
    Files.createTempDirectory("lake").resolve("lake.sqlite").toString

  private def newest(lake: Lake): LakeSnapshot = lake.newest().getOrElse(fail("no snapshot"))

  private def commit(lake: Lake, operations: Operation*): Unit =
    lake.commit(pending(newest(lake), operations: _*)).orThrow: Unit

  private def delete(lake: Lake, files: Long*): Operation =
    Operation.DeleteRows(
      tableOf(newest(lake), "t"),
      Vector.empty,
      files.toVector.map(file =>
        NewDeleteFile(DataFileId(file), Vector.empty, s"d$file", 5, PhysicalFile(100L, 10L, 1L))
      ),
      Map.empty,
      Vector.empty,
    )

  private def inlinedDelete(lake: Lake, file: Long): Operation =
    Operation.DeleteRows(
      tableOf(newest(lake), "t"),
      Vector.empty,
      Vector.empty,
      Map(DataFileId(file) -> Vector(1L)),
      Vector.empty,
    )

  private def embedded(name: String): NewDataFile =
    file(name, 0, 99).copy(rowIds = RowIds.Embedded)

  private def merge(lake: Lake, files: Long*): Operation =
    merge(lake, SnapshotRange.of(SnapshotId(2)), files: _*)

  private def merge(lake: Lake, span: SnapshotRange, files: Long*): Operation = {
    val table = tableOf(newest(lake), "t")
    val sources = files.toVector.map(file =>
      FileMergeSource(DataFileId(file), LakePath(s"t/f$file", isRelative = true), 1000L)
    )
    val merged = MergedFile(sources, table.columns, None, None, span, embedded("merged"))
    Operation.MergeFiles(table, Vector(merged))
  }

  /** A rewrite of the file that has a delete file. */
  private def rewrite(lake: Lake): Operation = {
    val table = tableOf(newest(lake), "t")
    val old = newest(lake).filesById(table, Vector(DataFileId(3))).head
    val source = RewriteSource(old.id, old.deleteFiles.map(_.id), 0L, 1000L)
    val files = RewrittenFiles(Vector(source), table.columns, None, Some(embedded("rewritten")))
    Operation.RewriteFiles(table, Vector(files))
  }

  private def guard(lake: Lake): Operation =
    Operation.AssertNoNewRows(tableOf(newest(lake), "t"), RowScope.Every)

  private def outcome(first: Lake => Operation, mine: Lake => Vector[Operation]): String = {
    val used = lake()
    val base = newest(used)
    val operations = mine(used)
    commit(used, first(used))
    outcome(used.commit(pending(base, operations: _*)))
  }

  private def outcome(of: CommitOutcome): String = of match {
    case CommitOutcome.Committed(_) => "committed"
    case CommitOutcome.Failed(cause) => cause.getMessage
    case other => fail(other.toString)
  }

  test("a delete goes on beside a merge of other files") {
    assert(outcome(merge(_, 0, 1), used => Vector(delete(used, 2))) == "committed")
    assert(outcome(merge(_, 0, 1), used => Vector(inlinedDelete(used, 2))) == "committed")
  }

  test("a delete ends when a merge has replaced one of its files") {
    assert(outcome(merge(_, 0, 1), used => Vector(delete(used, 1, 2))).contains(ofSameFiles))
    assert(outcome(merge(_, 0, 1), used => Vector(inlinedDelete(used, 0))).contains(ofSameFiles))
  }

  test("a delete goes on beside a rewrite of other files, and ends beside one of the same") {
    assert(outcome(rewrite, used => Vector(delete(used, 2))) == "committed")
    assert(outcome(rewrite, used => Vector(inlinedDelete(used, 3))).contains(ofSameFiles))
  }

  test("a compaction goes on beside deletes from other files") {
    assert(outcome(delete(_, 2), used => Vector(merge(used, 0, 1))) == "committed")
    assert(outcome(inlinedDelete(_, 2), used => Vector(merge(used, 0, 1))) == "committed")
    assert(outcome(delete(_, 2), used => Vector(rewrite(used))) == "committed")
  }

  test("a compaction ends when rows of its files were deleted") {
    val why = "another commit deleted their rows"
    assert(outcome(delete(_, 1), used => Vector(merge(used, 0, 1))).contains(why))
    assert(outcome(inlinedDelete(_, 1), used => Vector(merge(used, 0, 1))).contains(why))
    assert(outcome(inlinedDelete(_, 3), used => Vector(rewrite(used))).contains(why))
  }

  private def later(last: Lake => Operation, first: Lake => Operation): CommitOutcome = {
    val used = lake()
    val planned = last(used)
    commit(used, first(used))
    used.commit(pending(newest(used), planned))
  }

  test("a later step of a compaction looks at its files, although its base is the step before") {
    def isRefused(outcome: CommitOutcome): Boolean = outcome match {
      case CommitOutcome.Failed(cause) => cause.getMessage.contains("another commit deleted")
      case _ => false
    }

    assert(isRefused(later(rewrite, inlinedDelete(_, 3))))
    assert(isRefused(later(merge(_, 2), delete(_, 2))))
    assert(
      isRefused(later(merge(_, 2), used => Operation.Truncate(tableOf(newest(used), "t"))))
    )
    assert(!isRefused(later(merge(_, 2), inlinedDelete(_, 3))))
  }

  test("compactions of different files go on, and those of the same file do not") {
    assert(outcome(merge(_, 0, 1), used => Vector(rewrite(used))) == "committed")
    assert(outcome(rewrite, used => Vector(merge(used, 0, 1))) == "committed")
    assert(outcome(merge(_, 0, 1), used => Vector(merge(used, 1, 2))).contains("replaced them"))
  }

  test("TRUNCATE ends the files of a compaction that came before it") {
    val used = lake()
    val base = newest(used)
    val truncate = Operation.Truncate(tableOf(base, "t"))
    commit(used, merge(used, 0, 1))

    used.commit(pending(base, truncate)).orThrow: Unit

    val now = newest(used)
    assert(now.counts(tableOf(now, "t")).liveRows == 0)
  }

  test("a rewrite adds no rows, so that statements that allow no new rows go on beside it") {
    val added = (used: Lake) => append(tableOf(newest(used), "t"), file("g", 0, 9))

    assert(outcome(rewrite, used => Vector(added(used), guard(used))) == "committed")
    assert(outcome(added, used => Vector(added(used), guard(used))).contains("added rows since"))
  }

  test("rows that came with a rewrite, as DuckDB may commit them, are new rows") {
    val used = lake()
    val base = newest(used)
    val mine = Vector(append(tableOf(base, "t"), file("g", 0, 9)), guard(used))
    commit(used, rewrite(used), append(tableOf(base, "t"), file("h", 0, 9)))

    val refused = used.commit(pending(base, mine: _*))

    assert(refused match {
      case CommitOutcome.Failed(cause) => cause.getMessage.contains("added rows since")
      case _ => false
    })
  }

  test("a table is not replaced by rows that were read there when others changed it since") {
    val replace = (used: Lake) => {
      val base = newest(used)
      val table = tableOf(base, "t")
      val guard = Operation.AssertUnchanged(table, TablePart.Content)
      Vector(Operation.DropTable(table), guard, create(base, "t"))
    }
    val comment = (used: Lake) => {
      val table = tableOf(newest(used), "t")
      val definition = TableDefinition.of(table).copy(tags = Map("comment" -> "c"))
      Operation.AlterTable(table, table.schema, definition)
    }
    val inlined = (used: Lake) => {
      val row = NewInlinedRow(None, Vector(Literal.Integral(5), Literal.Text("x")))
      val target = TableTarget.Existing(tableOf(newest(used), "t"))
      Operation.AppendInlined(target, Vector(row))
    }
    val added = (used: Lake) => append(tableOf(newest(used), "t"), file("g", 0, 9))

    for (
      first <- Vector[Lake => Operation](added, inlined, delete(_, 0), inlinedDelete(_, 0), comment)
    )
      assert(outcome(first, replace).contains("it wants to replace main.t by rows that it read"))
    for (
      first <- Vector[Lake => Operation](merge(_, 0, 1), rewrite, used => create(newest(used), "u"))
    )
      assert(outcome(first, replace) == "committed")
  }

  /** Commits beside a commit that adds a file, and beside a merge of this file with an older one.
    *
    * @param deleted a file that the first commit deletes from
    */
  private def besideMerged(deleted: Option[Long], mine: Lake => Vector[Operation]): String = {
    val used = lake()
    val base = newest(used)
    val operations = mine(used)
    val added = append(tableOf(base, "t"), file("new", 40, 49))
    commit(used, added +: deleted.map(delete(used, _)).toVector: _*)
    val span = SnapshotRange(SnapshotId(2), newest(used).snapshot.id)
    commit(used, merge(used, span, 0, base.snapshot.nextFileId))
    outcome(used.commit(pending(base, operations: _*)))
  }

  test("rows are new although a merge has put them into an older file") {
    val layout = RowScope.Partitions(PartitionId(0), Set.empty)
    val guarded = (used: Lake) => {
      val table = tableOf(newest(used), "t")
      Vector(append(table, file("g", 0, 9)), Operation.AssertNoNewRows(table, layout))
    }

    assert(besideMerged(None, guarded).contains("added rows since"))
    assert(besideMerged(Some(2), used => Vector(delete(used, 1))) == "committed")
  }
}
