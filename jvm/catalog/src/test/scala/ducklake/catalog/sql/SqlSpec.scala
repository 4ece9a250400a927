package ducklake.catalog.sql

import ducklake.catalog.error.LakeException
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.types.TableId
import org.scalatest.funsuite.AnyFunSuite

class SqlSpec extends AnyFunSuite {

  test("values are bound in order, names are quoted, statements nest") {
    val inner = sql"name = ${"O'Hara"}"

    val outer =
      sql"""SELECT ${Sql.identifier("odd \"name\"")}
           |FROM t
           |WHERE $inner AND id = ${TableId(7)} AND n IN (${Sql.list(Vector[SqlPart](1L, 2L))})"""

    assert(
      outer.text == "SELECT \"odd \"\"name\"\"\"\nFROM t\nWHERE name = ? AND id = ? AND n IN (?, ?)"
    )
    assert(
      outer.binds ==
        Vector(Bind.Text("O'Hara"), Bind.Number(7), Bind.Number(1), Bind.Number(2))
    )
  }

  test("a value with a margin or a question mark does not change the text") {
    val statement = sql"SELECT ${"?\n  |x"}"

    assert(statement == Sql("SELECT ?", Vector(Bind.Text("?\n  |x"))))
  }

  test("each database names tables its own way") {
    val name = MetadataSchema.Table.name
    assert(SqliteDialect.table(name).text == "\"ducklake_table\"")
    assert(PostgresDialect("public").table(name).text == "\"public\".\"ducklake_table\"")
    assert(
      DuckDbDialect("main").table(name).text ==
        "\"ducklake_catalog\".\"main\".\"ducklake_table\""
    )
  }

  test("a catalog that gives an inlined table the name of another table is refused") {
    assert(SqliteDialect.table("ducklake_inlined_data_1_2").text == "\"ducklake_inlined_data_1_2\"")
    Seq("customers", "sqlite_master", "ducklake_x", "").foreach { name =>
      val error = intercept[LakeException](SqliteDialect.table(name)).error
      assert(error.condition == "DUCKLAKE_CORRUPT_CATALOG")
      assert(error.message.contains(s"`$name`"))
    }
  }
}
