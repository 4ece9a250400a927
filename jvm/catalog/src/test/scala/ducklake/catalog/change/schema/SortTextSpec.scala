package ducklake.catalog.change.schema

import ducklake.catalog.testkit.BrokenText
import org.scalatest.funsuite.AnyFunSuite

final class SortTextSpec extends AnyFunSuite {

  test("names, but not types, functions or fields, are those of columns") {
    val text = """CAST(a AS DECIMAL(9, 2)) + main.abs("b ""c") || 'd' COLLATE e"""
    assert(SortText.names(text) == Vector("a", """b "c"""))
    assert(SortText.replaceNames(text)(name => Some(s"<$name>")) == {
      """CAST(<a> AS DECIMAL(9, 2)) + main.abs(<b "c>) || 'd' COLLATE e"""
    })
  }

  test("a long text leaves the stack") {
    val faults = for {
      opening <- Vector("", "'", "\"", "(", "CAST(a AS ", "a.")
      piece <- Vector("a", "''", "\"\"", "a.", "(", "()", "(()", " ", ",a")
      fault <- BrokenText.fault(opening + piece * 20000) { text =>
        SortText.names(text): Unit
        SortText.fields(text): Unit
      }
    } yield s"$opening$piece: ${fault.takeRight(100)}"
    assert(faults.isEmpty, faults.mkString("\n"))
  }
}
