package ducklake.catalog.commit

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.KnownDeletes
import ducklake.catalog.change.operation.NewDeleteFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.PendingCommit
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.testkit.TestLake
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.DeleteFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

/** Commits that change rows conflict with changes of the same rows, and with what became of their table. */
class RowConflictSpec extends AnyFunSuite with CommitFixtures {

  /** A lake whose table has two files of ten rows each, with the ids 0 and 1, and three inlined rows with
    * the row ids 20 to 22.
    */
  private def withLake(name: String)(body: (Lake, LakeSnapshot, String) => Any): Unit =
    test(name) {
      val place = Files.createTempDirectory("lake").resolve("lake.sqlite").toString
      val lake = Lakes.open(settings(CatalogUri.Sqlite(place)))
      commit(lake, create(lake.prepareToWrite(), "t"))
      commit(lake, append(table(lake), file("a", 0, 9), file("b", 10, 19)))
      commit(lake, inlined(lake, 3))
      body(lake, newest(lake), place): Unit
    }

  private def newest(lake: Lake): LakeSnapshot = lake.newest().getOrElse(fail("no snapshot"))

  private def table(lake: Lake): LakeTable = tableOf(newest(lake), "t")

  private def commit(lake: Lake, operations: Operation*): Unit =
    lake.commit(pending(newest(lake), operations: _*)).orThrow: Unit

  private def inlined(lake: Lake, rows: Int): Operation = Operation.AppendInlined(
    TableTarget.Existing(table(lake)),
    Vector.tabulate(rows) { n =>
      NewInlinedRow(None, Vector(Literal.Integral(100L + n), Literal.Null))
    },
  )

  private def deleteFile(lake: Lake, name: String, known: KnownDeletes): Operation.DeleteRows =
    Operation.DeleteRows(
      table(lake),
      Vector.empty,
      Vector(
        NewDeleteFile(DataFileId(0), known.files.toVector, name, 3, PhysicalFile(300, 100, 1))
      ),
      Map.empty,
      Vector.empty,
      Map(DataFileId(0) -> known),
    )

  private def deletePositions(lake: Lake, positions: Long*): Operation =
    Operation.DeleteRows(
      table(lake),
      Vector.empty,
      Vector.empty,
      Map(DataFileId(0) -> positions.toVector),
      Vector.empty,
    )

  private def endInlined(lake: Lake, rowIds: Long*): Operation =
    Operation.DeleteRows(table(lake), Vector.empty, Vector.empty, Map.empty, rowIds.toVector)

  private def commented(lake: Lake): Operation = {
    val now = table(lake)
    Operation.AlterTable(
      now,
      now.schema,
      TableDefinition.of(now).copy(tags = Map("comment" -> "x")),
    )
  }

  private def widened(lake: Lake): Operation = {
    val now = table(lake)
    val more = column(9, "more", LakeType.Int64)
    Operation.AlterTable(
      now,
      now.schema,
      TableDefinition.of(now).copy(columns = now.columns :+ more),
    )
  }

  private val none = KnownDeletes(Set.empty, 0L)

  private def end(outcome: CommitOutcome): String = outcome match {
    case CommitOutcome.Committed(_) => "committed"
    case CommitOutcome.Failed(cause) =>
      assert(cause.error.condition == "DUCKLAKE_COMMIT_CONFLICT")
      cause.getMessage
    case other => fail(other.toString)
  }

  withLake("an append goes on beside deletes, a comment and rows of others") { (lake, base, _) =>
    val mine = append(table(lake), file("mine", 0, 9))
    commit(lake, deleteFile(lake, "d", none))
    commit(lake, endInlined(lake, 21))
    commit(lake, append(table(lake), file("c", 0, 9)))
    commit(lake, commented(lake))

    assert(end(lake.commit(pending(base, mine))) == "committed")
  }

  withLake("an append ends when the columns or the table changed") { (lake, base, _) =>
    val mine = append(table(lake), file("mine", 0, 9))
    commit(lake, widened(lake))
    assert(end(lake.commit(pending(base, mine))).contains("columns or partition keys"))

    commit(lake, Operation.DropTable(table(lake)))
    assert(end(lake.commit(pending(base, mine))).contains("dropped"))
  }

  withLake("a commit of rows does not read what each snapshot did since") { (lake, base, place) =>
    val mine = Vector(append(table(lake), file("mine", 0, 9)), deleteFile(lake, "d", none))
    commit(lake, append(table(lake), file("c", 0, 9)))
    commit(lake, append(table(lake), file("d", 0, 9)))
    new TestLake(Path.of(place), "1.0").run(
      "UPDATE ducklake_snapshot_changes SET changes_made = 'nobody knows' WHERE snapshot_id > 3"
    )

    assert(end(lake.commit(pending(base, mine: _*))) == "committed")
  }

  withLake("an append goes on when snapshots since its base have expired") { (lake, base, _) =>
    val mine = append(table(lake), file("mine", 0, 9))
    commit(lake, append(table(lake), file("c", 0, 9)))
    commit(lake, append(table(lake), file("d", 0, 9)))
    val past = ExpiryCriterion.Versions(Set(3L, 4L).map(SnapshotId(_)))
    lake.planExpiry(past).map(lake.expire).getOrElse(fail("no plan"))

    assert(end(lake.commit(pending(base, mine))) == "committed")
  }

  withLake("deletes of other rows of one file are planned again on the newest snapshot") {
    (lake, base, _) =>
      val mine = deleteFile(lake, "mine", none)
      commit(lake, deleteFile(lake, "theirs", none))
      commit(lake, deletePositionsKnowing(lake))
      var plans = 0
      def again(): Vector[Operation] = {
        plans += 1
        val file = newest(lake).filesById(table(lake), Vector(DataFileId(0))).head
        Vector(deleteFile(lake, s"united$plans", KnownDeletes.of(file)))
      }

      val whole = PendingCommit(base.snapshot, Vector(mine), pending(base).info, 10L, Some(again _))

      assert(end(lake.commit(whole)) == "committed")
      assert(plans == 1)
      val left = newest(lake).filesById(table(lake), Vector(DataFileId(0))).head.deleteFiles
      assert(left.map(_.path.split('/').last) == Vector("united1"))
  }

  private def deletePositionsKnowing(lake: Lake): Operation = {
    val file = newest(lake).filesById(table(lake), Vector(DataFileId(0))).head
    Operation.DeleteRows(
      table(lake),
      Vector.empty,
      Vector.empty,
      Map(DataFileId(0) -> Vector(7L)),
      Vector.empty,
      Map(DataFileId(0) -> KnownDeletes.of(file)),
    )
  }

  withLake("deletes that were planned on too few others end the commit") { (lake, base, _) =>
    val why = "deleted rows of the same files"
    val mine = deleteFile(lake, "mine", none)
    commit(lake, deletePositions(lake, 1L))
    assert(end(lake.commit(pending(base, mine))).contains(why))

    val knowing = deleteFile(lake, "mine", KnownDeletes(Set.empty, 1L))
    assert(end(lake.commit(pending(base, knowing))) == "committed")

    val other = deleteFile(lake, "other", KnownDeletes(Set(DeleteFileId(99)), 1L))
    assert(end(lake.commit(pending(base, other))).contains(why))
  }

  withLake("a plan that fails ends the commit, and one that is always late does so, too") {
    (lake, base, _) =>
      val mine = deleteFile(lake, "mine", none)
      commit(lake, deletePositions(lake, 1L))
      var plans = 0
      def late(): Vector[Operation] = {
        plans += 1
        Vector(mine)
      }
      val info = pending(base).info
      val hopeless = PendingCommit(base.snapshot, Vector(mine), info, 10L, Some(late _))

      assert(end(lake.commit(hopeless)).contains("deleted rows of the same files"))
      assert(plans == 10)
  }

  withLake("inlined rows are ended by one commit only") { (lake, base, _) =>
    val same = endInlined(lake, 20, 21)
    val other = endInlined(lake, 22)
    commit(lake, endInlined(lake, 21))

    assert(end(lake.commit(pending(base, other))) == "committed")
    assert(end(lake.commit(pending(base, same))).contains("deleted or changed the same rows"))
  }

  withLake("an inlined row that came with a later version of its id is not ended") {
    (lake, base, _) =>
      val mine = endInlined(lake, 20)
      val updated = Operation.AppendInlined(
        TableTarget.Existing(table(lake)),
        Vector(NewInlinedRow(Some(20L), Vector(Literal.Integral(7L), Literal.Null))),
      )
      commit(lake, endInlined(lake, 20), updated)

      assert(end(lake.commit(pending(base, mine))).contains("deleted or changed the same rows"))
  }

  withLake("TRUNCATE ends rows that others added, and rows in their place may not") {
    (lake, base, _) =>
      val truncate = Operation.Truncate(table(lake))
      val rows = append(table(lake), file("mine", 0, 9))
      val guard = Operation.AssertSameRows(table(lake))
      commit(lake, append(table(lake), file("c", 0, 9)))

      val refused = end(lake.commit(pending(base, truncate, rows, guard)))
      assert(refused.contains("added, changed or deleted"))
      assert(end(lake.commit(pending(base, truncate))) == "committed")
      assert(newest(lake).counts(table(lake)).liveRows == 0)
  }

  withLake("a commit whose planner has not seen the newest rows is planned again") {
    (lake, base, _) =>
      def mine(at: LakeSnapshot, alsoDeleted: Boolean) = pending(
        base,
        append(table(lake), file("mine", 0, 9)),
        Operation.AssertRowsSeen(tableOf(base, "t"), at.snapshot, alsoDeleted, Vector.empty),
      )
      commit(lake, deletePositions(lake, 1L))
      assert(end(lake.commit(mine(base, alsoDeleted = true))).contains("changed rows each time"))
      assert(end(lake.commit(mine(newest(lake), alsoDeleted = true))) == "committed")
      assert(end(lake.commit(mine(base, alsoDeleted = false))).contains("changed rows each time"))
  }
}
