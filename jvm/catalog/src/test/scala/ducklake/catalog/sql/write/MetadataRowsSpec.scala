package ducklake.catalog.sql.write

import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.SqliteDialect
import org.scalatest.funsuite.AnyFunSuite

class MetadataRowsSpec extends AnyFunSuite {

  private val sql = new WriteSql(SqliteDialect, FormatVersion.V10)

  private val schema = Vector[(String, Bind)](
    "schema_id" -> Bind.Number(3),
    "schema_uuid" -> Bind.Absent,
    "begin_snapshot" -> Bind.Number(7),
    "end_snapshot" -> Bind.Absent,
    "schema_name" -> Bind.Text("sales"),
    "path" -> Bind.Text("sales/"),
    "path_is_relative" -> Bind.Flag(true),
    "parent_schema_id" -> Bind.Number(1),
  )

  test("columns have the order of the table, and a version gets the columns that it has") {
    val old = sql.insertRow(MetadataSchema.Schema)(schema.reverse: _*)
    val nested = new WriteSql(SqliteDialect, FormatVersion.V11)
      .insertRow(MetadataSchema.Schema)(schema.reverse: _*)

    assert(columnsOf(old) == schema.map(_._1).init)
    assert(old.binds == schema.map(_._2).init)
    assert(columnsOf(nested) == schema.map(_._1))
    assert(nested.binds == schema.map(_._2))
  }

  test("few rows are one statement, and rows of very many objects have the same text") {
    def stored(versions: Vector[Long]) = sql.insert(MetadataSchema.SchemaVersions, versions)(
      "begin_snapshot" -> (_ => Bind.Number(1)),
      "schema_version" -> (version => Bind.Number(version)),
      "table_id" -> (_ => Bind.Absent),
    )
    val each = sql.insertEach(MetadataSchema.SchemaVersions, Vector(5L, 6L))(
      "begin_snapshot" -> (_ => Bind.Number(1)),
      "schema_version" -> (version => Bind.Number(version)),
      "table_id" -> (_ => Bind.Absent),
    )

    assert(stored(Vector.empty).isEmpty)
    assert(stored(Vector(5L, 6L)) == each.toVector)
    assert(
      each.toVector.flatMap(_.binds) == Vector(
        Bind.Number(1),
        Bind.Number(5),
        Bind.Absent,
        Bind.Number(1),
        Bind.Number(6),
        Bind.Absent,
      )
    )
  }

  test("a column that the table does not have, or that stands twice, is refused") {
    val unknown = schema :+ ("schema_order" -> Bind.Absent)
    val twice = schema :+ ("path" -> Bind.Text("other/"))

    Vector(unknown -> "schema_order", twice -> "path").foreach { case (row, name) =>
      val refused = intercept[IllegalArgumentException] {
        sql.insertRow(MetadataSchema.Schema)(row: _*)
      }
      assert(refused.getMessage == s"ducklake_schema has no place for $name")
    }
  }

  test("a column without a value is refused") {
    val refused = intercept[IllegalArgumentException] {
      sql.insertRow(MetadataSchema.Schema)(schema.tail: _*)
    }

    assert(refused.getMessage == "ducklake_schema gets no value for schema_id")
  }

  private def columnsOf(insert: Sql): Vector[String] =
    """"(\w+)"[,)]""".r.findAllMatchIn(insert.text).map(_.group(1)).toVector
}
