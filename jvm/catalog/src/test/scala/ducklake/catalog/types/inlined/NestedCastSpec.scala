package ducklake.catalog.types.inlined

import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.WriteOutcome
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.jdbc.engine.Databases
import ducklake.catalog.sql.DuckDbTypes
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator
import ducklake.catalog.testkit.Columns
import ducklake.catalog.testkit.InlinedSamples
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files

import scala.util.Random

/** DuckDB reads inlined nested values of SQLite and PostgreSQL by a cast from text: what it makes of
  * our texts of random values.
  */
class NestedCastSpec extends AnyFunSuite {
  private val valuesPerType = 10
  private val alphabet = "ab'\"\\{}[](),:= \n\t|;-1N€"

  test("DuckDB casts the text of random nested values to the same values") {
    withDuckDb { database =>
      database.consistent("cast values") { session =>
        for (seed <- 0 until 300) {
          val random = new Random(seed)
          val column = nested(random, depth = 3)
          val values =
            Vector.fill(valuesPerType)(value(random, column)).filterNot(_ == Literal.Null)
          for {
            value <- values
            text <- InlineText.nestedText(value, column) ++ InlineText.nestedNative(value, column)
          } {
            val cast = session.query(casting(text, column))(_.textOption(1)).head
            assert(
              cast == NestedTextPrinter.DuckDb20.castText(value, column),
              s"$seed $column $value $text",
            )
          }
        }
      }
    }
  }

  private def withDuckDb(body: Database => Any): Unit = {
    val file = Files.createTempDirectory("casts").resolve("empty.duckdb").toString
    val database =
      Databases.open(CatalogUri.DuckDb(file), None, 5000, PoolSettings.default, Map.empty)
    assert(database.write("make the file")(_ => ()) == WriteOutcome.Done(()))
    body(database)
    database.close()
  }

  private def casting(text: String, column: Column): Sql = {
    val declared = Sql(DuckDbTypes.declared(column).getOrElse(fail("no type")), Vector.empty)
    sql"SELECT CAST(CAST($text AS $declared) AS VARCHAR)"
  }

  private def nested(random: Random, depth: Int): Column =
    Iterator
      .continually(column(random, depth, "v"))
      .find(_.children.nonEmpty)
      .getOrElse(fail("no nested column"))

  private def column(random: Random, depth: Int, name: String): Column = {
    def child(name: String) = column(random, depth - 1, name)
    random.nextInt(if (depth == 0) 2 else 5) match {
      case 0 => Columns.leaf(1, name, LakeType.Varchar)
      case 1 => leaf(random).copy(name = name)
      case 2 => Columns.list(1, name)(child("element"))
      case 3 => Columns.map(1, name)(child("key"), child("value"))
      case _ =>
        val fields = Vector.tabulate(1 + random.nextInt(3))(i => child(s"f$i${text(random)}"))
        val numbered = fields.zipWithIndex.map { case (field, index) =>
          field.copy(id = ducklake.catalog.types.ColumnId(index.toLong))
        }
        Columns.struct(1, name)(numbered: _*)
    }
  }

  private def leaf(random: Random): Column = {
    val columns = InlinedSamples.primitives.map(_._1).filterNot(_.dataType == LakeType.Json)
    columns(random.nextInt(columns.size))
  }

  private def value(random: Random, column: Column): Literal = {
    def times[A](make: => A): Vector[A] = Vector.fill(random.nextInt(3))(make)
    column.dataType match {
      case _ if random.nextInt(8) == 0 => Literal.Null
      case LakeType.ListType => Literal.ListValue(times(value(random, column.children(0))))
      case LakeType.StructType => Literal.StructValue(column.children.map(value(random, _)))
      case LakeType.MapType =>
        Literal.MapValue(
          times((value(random, column.children(0)), value(random, column.children(1))))
        )
      case LakeType.Varchar => Literal.Text(text(random))
      case other =>
        val values = InlinedSamples.primitives.collectFirst {
          case (sample, values) if sample.dataType == other => values
        }
        values.map(known => known(random.nextInt(known.size))).getOrElse(Literal.Null)
    }
  }

  private def text(random: Random): String =
    if (random.nextInt(5) == 0)
      InlinedSamples.strings(random.nextInt(InlinedSamples.strings.size))
    else Seq.fill(random.nextInt(6))(alphabet(random.nextInt(alphabet.length))).mkString
}
