package ducklake.catalog.change.conflict

import ducklake.catalog.types.SnapshotId
import org.scalatest.funsuite.AnyFunSuite

final class TableEntriesSpec extends AnyFunSuite {

  /** The entries of table 7 in a stored text. */
  private def of(text: String): TableEntries =
    TableEntries(SnapshotId(1), ChangeText.parse(text).fold(e => fail(e.message), identity))

  test("inserts, deletes and updates change rows") {
    for (
      text <- Vector(
        "inserted_into_table:7",
        "inlined_insert:7",
        "deleted_from_table:7",
        "inlined_delete:7",
        "inserted_into_table:7,deleted_from_table:7",
        "rewrite_delete:7",
        "dropped_table:7",
      )
    ) assert(of(text).mayChangeRows, text)
  }

  test("merges, flushes and new columns change no rows") {
    for (text <- Vector("merge_adjacent:7", "inline_flush:7", "altered_table:7"))
      assert(!of(text).mayChangeRows, text)
  }

  test("inlined deletes and DROP delete for certain") {
    for (
      text <- Vector("inlined_delete:7", "deleted_from_table:7,inlined_delete:7", "dropped_table:7")
    )
      assert(of(text).deletesRows && of(text).mayDeleteRows, text)
  }

  test("an entry for deletes in files may be that of a flush") {
    for (
      text <- Vector(
        "deleted_from_table:7",
        "deleted_from_table:7,inline_flush:7",
        "inserted_into_table:7,deleted_from_table:7",
      )
    ) assert(!of(text).deletesRows && of(text).mayDeleteRows, text)
  }

  test("inserts, rewrites and merges delete nothing") {
    for (
      text <- Vector(
        "inserted_into_table:7",
        "inlined_insert:7",
        "rewrite_delete:7,inserted_into_table:7",
        "merge_adjacent:7,inserted_into_table:7",
        "inline_flush:7",
      )
    ) assert(!of(text).mayDeleteRows, text)
  }

  test("a flush moves rows, by the word of old catalogs too") {
    for (
      text <- Vector("inline_flush:7", "flushed_inlined:7", "deleted_from_table:7,inline_flush:7")
    )
      assert(of(text).flushesRows && !of(text).keepsRows, text)
    for (text <- Vector("merge_adjacent:7", "rewrite_delete:7", "compacted_table:7"))
      assert(!of(text).flushesRows && !of(text).keepsRows, text)
  }

  test("inserts and new definitions leave the other rows where they are") {
    for (text <- Vector("inserted_into_table:7", "inlined_insert:7,altered_table:7"))
      assert(of(text).keepsRows && !of(text).flushesRows, text)
    for (text <- Vector("inserted_into_table:7,deleted_from_table:7", "inlined_delete:7"))
      assert(!of(text).keepsRows, text)
  }
}
