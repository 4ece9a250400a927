package ducklake.catalog.sql

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.jdbc.engine.Databases
import ducklake.catalog.listing.CollectedRows
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.model.LakePath
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.testkit.InlinedSamples
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
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
    assertKept(uri, InlinedSamples.nested, refused = if (uri.kind == "duckdb") 76 else 65)
  }

  /** Puts the values of each column into a table with all columns, NULL for those that are refused. */
  private def assertKept(
      uri: CatalogUri,
      samples: Vector[(Column, Vector[Literal])],
      refused: Int,
  ): Assertion = {
    val ids = Iterator.from(1).map(_.toLong)
    val columns = samples.map { case (column, _) => numbered(column, ids) }.zipWithIndex.map {
      case (column, index) => column.copy(name = s"v$index")
    }
    val now = lakeWithTable(uri, columns)
    val database = Databases.open(uri, None, 5000, PoolSettings.default, Map.empty)
    val offered = samples.map(_._2).map(_.padTo(samples.map(_._2.size).max, Literal.Null)).transpose
    val rows = offered.map(_.zip(columns).map { case (value, column) =>
      val taken = database.dialect.inlinedValue(value, column)
      (taken.fold[Literal](Literal.Null)(_ => value), taken.getOrElse(sql"NULL"))
    })
    insert(database, rows.map(_.map(_._2)))
    database.close()
    val kept = new CollectedRows
    val inlined = InlinedRequest(columns, None, kept)
    now.files(tableOf(now, "t"), FileRequest(Vector.empty, Set.empty, Some(inlined))): Unit
    val read = kept.rows.map(_.values)
    for {
      (expected, row) <- rows.map(_.map(_._1)).zip(read)
      ((value, kept), column) <- expected.zip(row).zip(columns)
    } assert(kept.toString == value.toString, column)
    val nulls = rows.map(_.count(_._1 == Literal.Null)).sum
    assert(read.size == rows.size)
    assert(nulls - offered.map(_.count(_ == Literal.Null)).sum == refused)
  }

  private def numbered(column: Column, ids: Iterator[Long]): Column = {
    val id = ColumnId(ids.next())
    column.copy(id = id, children = column.children.map(numbered(_, ids)))
  }

  private def lakeWithTable(uri: CatalogUri, columns: Vector[Column]): LakeSnapshot = {
    val lake = Lakes.open(settings(uri))
    val first = lake.prepareToWrite()
    lake.setOptions(option("data_inlining_row_limit", "10"))
    val schema = first.schema("main").getOrElse(fail("no main"))
    val definition = TableDefinition(schema.id, "t", columns, Map.empty, Vector.empty, Vector.empty)
    val path = LakePath("t/", isRelative = true)
    val create = Operation.CreateTable(schema, UUID.randomUUID(), path, definition, Map.empty)
    lake.commit(pending(first, create)).orThrow
    lake.newest().getOrElse(fail("no snapshot"))
  }

  private def insert(database: Database, rows: Vector[Vector[Sql]]): Assertion = {
    val table = database.dialect.table("ducklake_inlined_data_1_1")
    val outcome = database.write("insert values") { session =>
      rows.zipWithIndex.foreach { case (values, row) =>
        session.execute(
          sql"INSERT INTO $table VALUES (${row.toLong}, 1, NULL, ${Sql.list(values)})"
        )
      }
    }
    assert(outcome == WriteOutcome.Done(()))
  }
}
