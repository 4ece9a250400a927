package ducklake.catalog.sql

import ducklake.catalog.model.TableId
import ducklake.catalog.sql.Sql.Interpolator
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
    assert(SqliteDialect.table("t").text == "\"t\"")
    assert(PostgresDialect("public").table("t").text == "\"public\".\"t\"")
    assert(DuckDbDialect("main").table("t").text == "\"ducklake_catalog\".\"main\".\"t\"")
  }
}
