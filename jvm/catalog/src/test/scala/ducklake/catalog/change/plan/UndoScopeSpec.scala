package ducklake.catalog.change.plan

import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.conflict.ChangeText
import ducklake.catalog.change.conflict.TableEntries
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId
import org.scalatest.funsuite.AnyFunSuite

class UndoScopeSpec extends AnyFunSuite {

  private def changes(text: String): Vector[Change] =
    ChangeText.parse(text).fold(error => fail(error.message), identity)

  private def scope(undone: String, later: String*): Either[UndoRefusal, UndoScope] =
    UndoScope.of(
      changes(undone),
      Map(Vector("main", "t") -> TableId(9)).get,
      (table, isWanted) =>
        later.toVector.zipWithIndex
          .map { case (text, index) =>
            val subject = ChangeSubject.Numbered(table.value)
            TableEntries(SnapshotId(10L + index), changes(text).filter(_.subject == subject))
          }
          .find(isWanted),
    )

  private def tables(ids: Long*): UndoScope = UndoScope(ids.map(TableId(_)).toSet)

  test("a commit is undone when only other tables were changed since") {
    assert(
      scope("inserted_into_table:1,deleted_from_table:2", "inserted_into_table:3") ==
        Right(tables(1, 2))
    )
  }

  test("a commit is not undone when one of its tables was changed since") {
    val change = Change(ChangeKind.InlinedInsert, ChangeSubject.Numbered(1))
    assert(
      scope("inserted_into_table:1", "inserted_into_table:3", "inlined_insert:1") ==
        Left(UndoRefusal.ChangedSince(SnapshotId(11), change))
    )
  }

  test("merges and rewrites since do not matter") {
    val later = Vector(
      "merge_adjacent:1",
      "rewrite_delete:1",
      "inserted_into_table:1,merge_adjacent:1",
    )
    assert(scope("inserted_into_table:1", later: _*) == Right(tables(1)))
  }

  test("a created or renamed table is found by its name") {
    val created = "created_table:\"main\".\"t\""
    assert(scope(created) == Right(tables(9)))
    assert(scope(created, "inserted_into_table:8") == Right(tables(9)))
    assert(scope(created, "inserted_into_table:9").isLeft)
  }

  test("a commit that changed no table is refused") {
    assert(scope("") == Left(UndoRefusal.NoTable))
    assert(scope("created_table:\"main\".\"u\"") == Left(UndoRefusal.NoTable))
  }

  test("what is not a table is refused by name") {
    val change = Change(ChangeKind.DroppedView, ChangeSubject.Numbered(4))
    assert(scope("dropped_view:4") == Left(UndoRefusal.NotATable(change)))
  }
}
