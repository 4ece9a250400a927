package ducklake.catalog.change.conflict

import ducklake.catalog.change.conflict.ChangeKind.*
import org.scalatest.funsuite.AnyFunSuite

/** The conflict matrix of objects, pair by pair. Rows are not compared here: see `RowConflictSpec` and
  * `CompactionConflictSpec`.
  */
class ConflictRulesSpec extends AnyFunSuite {

  private val others = Vector(
    DroppedTable,
    AlteredTable,
    InsertedInto,
    InlinedInsert,
    DeletedFrom,
    InlinedDelete,
    Flush,
    MergeAdjacent,
    RewriteDelete,
    Compacted,
  )

  /** One letter for each of `others`: x clashes, . does not. */
  private val matrix = Vector(
    InsertedInto -> "x.........",
    InlinedInsert -> "x.........",
    DeletedFrom -> "x.........",
    InlinedDelete -> "x.........",
    Flush -> "x.....x...",
    MergeAdjacent -> "x.........",
    RewriteDelete -> "x.........",
    AlteredTable -> "xx........",
    DroppedTable -> "x.........",
  )

  private def numbered(kind: ChangeKind, id: Long): Change =
    Change(kind, ChangeSubject.Numbered(id))

  private def named(kind: ChangeKind, name: String*): Change =
    Change(kind, ChangeSubject.Named(name.toVector))

  private def clashes(ours: Change, other: Change): Boolean =
    ConflictRules
      .clash(
        Vector(ours),
        Vector(other),
        Map(0L -> Vector("main"), 5L -> Vector("s"), 6L -> Vector("s", "inner")),
      )
      .nonEmpty

  for {
    (mine, row) <- matrix
    (other, letter) <- others.zip(row)
  } test(s"${mine.token} after ${other.token} ${if (letter == '.') "goes on" else "clashes"}") {
    assert(clashes(numbered(mine, 1), numbered(other, 1)) == (letter != '.'))
    assert(!clashes(numbered(mine, 1), numbered(other, 2)), "of another table")
  }

  test("names are taken once, by tables and views together, whatever their case") {
    assert(clashes(named(CreatedTable, "main", "t"), named(CreatedTable, "MAIN", "T")))
    assert(clashes(named(CreatedTable, "main", "t"), named(CreatedView, "main", "t")))
    assert(clashes(named(CreatedSchema, "s"), named(CreatedSchema, "S")))
    assert(!clashes(named(CreatedTable, "main", "t"), named(CreatedTable, "s", "t")))
    assert(!clashes(named(CreatedTable, "main", "t"), named(CreatedScalarMacro, "main", "t")))
  }

  test("nothing is created in a schema that is dropped, on either side") {
    assert(clashes(named(CreatedTable, "S", "t"), numbered(DroppedSchema, 5)))
    assert(clashes(numbered(DroppedSchema, 5), named(CreatedView, "s", "v")))
    assert(!clashes(named(CreatedTable, "main", "t"), numbered(DroppedSchema, 5)))
    assert(clashes(named(CreatedSchema, "s", "new"), numbered(DroppedSchema, 5)))
    assert(clashes(numbered(DroppedSchema, 6), named(CreatedTable, "s", "Inner", "t")))
    assert(!clashes(named(CreatedTable, "inner", "t"), numbered(DroppedSchema, 6)))
    assert(!clashes(named(CreatedSchema, "s"), numbered(DroppedSchema, 5)))
  }

  test("a view is dropped after a comment on it, and not commented on after its drop") {
    assert(!clashes(numbered(DroppedView, 1), numbered(AlteredView, 1)))
    assert(clashes(numbered(DroppedView, 1), numbered(DroppedView, 1)))
    assert(clashes(numbered(AlteredView, 1), numbered(DroppedView, 1)))
    assert(clashes(numbered(AlteredView, 1), numbered(AlteredView, 1)))
  }

  test("a rename of the table by others does not stop rows") {
    assert(!clashes(numbered(InsertedInto, 1), named(CreatedTable, "main", "new")))
  }
}
