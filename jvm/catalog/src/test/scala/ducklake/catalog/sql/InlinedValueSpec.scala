package ducklake.catalog.sql

import ducklake.catalog.Lakes
import ducklake.catalog.change.Operation
import ducklake.catalog.change.TableShape
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.jdbc.CatalogUri
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Databases
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.model.Column
import ducklake.catalog.model.LakePath
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.testkit.InlinedSamples
import ducklake.catalog.types.Literal
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.util.UUID

/** Values put into inlined tables of real databases, and read out of them again. */
class InlinedValueSpec extends AnyFunSuite with CommitFixtures {

  private def onEach(name: String)(body: CatalogUri => Any): Unit =
    Vector("sqlite", "duckdb").foreach { kind =>
      test(s"$name, on $kind") {
        val file = Files.createTempDirectory("lake").resolve("lake.db").toString
        body(if (kind == "sqlite") CatalogUri.Sqlite(file) else CatalogUri.DuckDb(file)): Unit
      }
    }

  onEach("values without parts come back as they are") { uri =>
    assertKept(uri, InlinedSamples.primitives, refused = if (uri.kind == "duckdb") 2 else 0)
  }

  /** What DuckDB loses its way in is refused. */
  onEach("nested values come back as they are, or are refused") { uri =>
    assertKept(uri, InlinedSamples.nested, refused = if (uri.kind == "duckdb") 66 else 54)
  }

  /** Makes a table for each column, with all values that its database takes. */
  private def assertKept(
      uri: CatalogUri,
      samples: Vector[(Column, Vector[Literal])],
      refused: Int,
  ): Assertion = {
    val lake = Lakes.open(settings(uri))
    val first = lake.prepareToWrite()
    lake.setOption("data_inlining_row_limit", Some("10"), ducklake.catalog.read.OptionScope.Global)
    val schema = first.schema("main").getOrElse(fail("no main"))
    val operations = samples.zipWithIndex.map { case ((column, _), number) =>
      val columns = Vector(column.copy(name = "v"))
      Operation.CreateTable(
        schema,
        UUID.randomUUID(),
        LakePath(s"t$number/", isRelative = true),
        TableShape(schema.id, s"t$number", columns, Map.empty, Vector.empty, Vector.empty),
        Map.empty,
      )
    }
    lake.commit(pending(first, operations: _*)).orThrow
    val now = lake.newest().getOrElse(fail("no snapshot"))
    val database = Databases.open(uri, None, 5000, Map.empty)
    val kept = samples.zipWithIndex.map { case ((column, values), number) =>
      val table = tableOf(now, s"t$number")
      val written = (values :+ Literal.Null)
        .flatMap(value => database.dialect.inlinedValue(value, column).map(value -> _))
      insert(database, s"ducklake_inlined_data_${table.id.value}_1", written.map(_._2))
      val read = now.inlinedRows(table, table.columns).map(_.values.head)
      assert(read.map(_.toString) == written.map(_._1.toString), column.name)
      values.size + 1 - written.size
    }
    database.close()
    assert(kept.sum == refused)
  }

  private def insert(database: Database, table: String, values: Vector[Sql]): Assertion = {
    val outcome = database.write("insert values") { session =>
      values.zipWithIndex.foreach { case (value, row) =>
        session.execute(
          sql"INSERT INTO ${database.dialect.table(table)} VALUES (${row.toLong}, 1, NULL, $value)"
        )
      }
    }
    assert(outcome == WriteOutcome.Done(()))
  }
}
