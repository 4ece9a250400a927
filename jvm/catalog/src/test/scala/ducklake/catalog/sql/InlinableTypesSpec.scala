package ducklake.catalog.sql

import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.Column
import org.scalatest.funsuite.AnyFunSuite

class InlinableTypesSpec extends AnyFunSuite {
  private val postgres = PostgresDialect("public")
  private val others = Vector(SqliteDialect, DuckDbDialect("main"))

  test("PostgreSQL holds no system columns, words of its own and long names") {
    val unheld = Vector("ctid", "XMIN", "cmax", "tableoid", "current_user", "Localtime", "c" * 64)

    unheld.foreach { name =>
      assert(!InlinableTypes.admit(Vector(named(name)), postgres, FormatVersion.V10), name)
      others.foreach(dialect =>
        assert(InlinableTypes.admit(Vector(named(name)), dialect, FormatVersion.V10), name)
      )
    }
    Vector("oid", "rowid", "user", "select", "c" * 63, "\u00e4" * 31).foreach { name =>
      assert(InlinableTypes.admit(Vector(named(name)), postgres, FormatVersion.V10), name)
    }
  }

  test("names that DuckDB reserves are not inlined anywhere") {
    Vector("row_id", "Begin_Snapshot", "END_SNAPSHOT", "_ducklake_internal_row_id").foreach {
      name =>
        (others :+ postgres).foreach { dialect =>
          assert(!InlinableTypes.admit(Vector(named(name)), dialect, FormatVersion.V10), name)
        }
    }
    assert(InlinableTypes.admit(Vector(named("_ducklake_internal_x")), postgres, FormatVersion.V10))
    assert(!InlinableTypes.admit(Vector(named("_ducklake_x")), postgres, FormatVersion.V11))
    assert(InlinableTypes.admit(Vector(named("row_id")), postgres, FormatVersion.V11))
  }

  test("PostgreSQL folds the names that DuckDB does not quote") {
    val names = Vector("Mixed", "_A", "Select", "Key", "A b", "1A", "\u00c4B", "A$b")

    assert(
      names.map(postgres.inlinedName) ==
        Vector("mixed", "_a", "Select", "Key", "A b", "1A", "\u00c4B", "A$b")
    )
    others.foreach(dialect => assert(names.map(dialect.inlinedName) == names))
  }

  private def named(name: String): Column = Columns.leaf(1, name, "int32")
}
