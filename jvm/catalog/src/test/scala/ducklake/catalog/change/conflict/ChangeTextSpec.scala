package ducklake.catalog.change.conflict

import ducklake.catalog.change.conflict.ChangeKind.*
import ducklake.catalog.change.conflict.ChangeSubject.Named
import ducklake.catalog.change.conflict.ChangeSubject.Numbered
import org.scalatest.funsuite.AnyFunSuite

final class ChangeTextSpec extends AnyFunSuite {

  test("an empty text has no changes") {
    assert(ChangeText.parse("") == Right(Vector.empty))
  }

  test("names and ids stand side by side") {
    val text = """dropped_table:11,created_table:"main"."recreated",inserted_into_table:12"""

    assert(
      ChangeText.parse(text) == Right(
        Vector(
          Change(DroppedTable, Numbered(11)),
          Change(CreatedTable, Named(Vector("main", "recreated"))),
          Change(InsertedInto, Numbered(12)),
        )
      )
    )
  }

  test("quotes, commas, dots and colons may stand in a name") {
    val text = """created_table:"a,b"."say ""hi"".x:1",inline_flush:3"""

    assert(
      ChangeText.parse(text) == Right(
        Vector(
          Change(CreatedTable, Named(Vector("a,b", "say \"hi\".x:1"))),
          Change(Flush, Numbered(3)),
        )
      )
    )
  }

  test("the spellings of older catalogs are read") {
    assert(
      ChangeText.parse("compacted_table:1,flushed_inlined:2") ==
        Right(Vector(Change(Compacted, Numbered(1)), Change(OldFlush, Numbered(2))))
    )
  }

  test("kinds are read without regard to case") {
    assert(ChangeText.parse("ALTERED_TABLE:4") == Right(Vector(Change(AlteredTable, Numbered(4)))))
  }

  for (
    bad <- Vector(
      "no_such_kind:1",
      "altered_table",
      "altered_table:",
      "altered_table:1, x:2",
      "created_table:\"a",
      "altered_table:1;2",
      "created_schema:main",
    )
  )
    test(s"a text that is no change list is refused: $bad") {
      assert(ChangeText.parse(bad).left.map(_.condition) == Left("DUCKLAKE_CORRUPT_CATALOG"))
    }
}
