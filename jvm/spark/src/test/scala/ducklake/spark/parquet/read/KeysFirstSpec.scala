package ducklake.spark.parquet.read

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.read.FilesTask
import ducklake.spark.testkit.DuckDbFiles
import ducklake.spark.testkit.PagedFile
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.data
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Path

import scala.util.Random

/** Random filters on files of each kind: no row that DuckDB finds is left out, and the rows that are
  * read are those of a read without filters.
  */
class KeysFirstSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val duck = new DuckDbFiles
  private val filters = sys.env.get("DUCKLAKE_FULL").fold(12)(_ => 1000)

  override protected def afterAll(): Unit = duck.close()

  private def paged(
      name: String,
      layout: PagedFile.Layout,
      distinct: Int = KeyFiles.Rows,
  ): Path = KeyFiles.write(duck.folder.resolve(name), layout, distinct)

  private lazy val plain =
    paged("plain.parquet", PagedFile.Layout(pageRows = 150, groupRows = 3000))

  private def ofDuckDb(name: String, options: String): Path = {
    val columns = (KeyFiles.columns ++ Vector(KeyFiles.seq, KeyFiles.payload))
      .map(column => s"${column.name}: ${column.id.value}")
      .mkString("{", ", ", ", l: {__duckdb_field_id: 53, element: 54}}")
    duck.write(name, s"FROM read_parquet('$plain')", columns, s", ROW_GROUP_SIZE 2048$options")
  }

  private val kinds: Vector[(String, () => Path)] = Vector(
    "plain pages with indexes" -> (() => plain),
    "pages of version 2 with dictionaries" -> (() =>
      paged(
        "encoded.parquet",
        PagedFile.Layout(190, 4000, WriterVersion.PARQUET_2_0, hasDictionary = true),
        distinct = 500,
      )
    ),
    "pages of version 2 with differences" -> (() =>
      paged(
        "second.parquet",
        PagedFile.Layout(190, 2500, WriterVersion.PARQUET_2_0, hasDictionary = true),
      )
    ),
    "one page, with dictionaries" -> (() =>
      paged("one.parquet", PagedFile.Layout(20000, hasDictionary = true))
    ),
    "DuckDB's pages" -> (() => ofDuckDb("duck.parquet", "")),
    "DuckDB's pages of version 2" -> (() => ofDuckDb("duck2.parquet", ", PARQUET_VERSION v2")),
  )

  private def spec(columns: Vector[Column]): ReadSpec =
    TaskRows.spec((ReadColumn.FileRowNumber +: columns.map(data))*)

  /** In batches that are smaller than row groups. */
  private def rowsOf(spec: ReadSpec, part: FilePart): Vector[Seq[Any]] =
    TaskRows.ofTask(spec, FilesTask(Vector(part)), batchRows = 700)

  private def texts(rows: Vector[Seq[Any]]): Map[Long, String] = rows.map { row =>
    row.head.asInstanceOf[Long] -> row.tail.map(String.valueOf).mkString("|")
  }.toMap

  private val flat = KeyFiles.columns ++ Vector(KeyFiles.seq, KeyFiles.payload, KeyFiles.added)

  kinds.zipWithIndex.foreach { case ((name, file), number) =>
    Vector("" -> flat, ", with a list" -> (flat :+ KeyFiles.list)).foreach { case (more, columns) =>
      test(s"filters leave out no matching row: $name$more") {
        val chance = new Random(number.toLong)
        val written = file()
        val part = TaskRows.part(written).copy(recordCount = KeyFiles.Rows.toLong)
        val all = texts(rowsOf(spec(columns), part))
        var skipped = 0

        (1 to filters).foreach { _ =>
          val predicate = RandomKeys.predicate(chance, depth = 2)
          val deleted = RandomKeys.deleted(chance)
          val wanted = spec(columns).copy(predicates = Vector(predicate))
          val read = rowsOf(wanted, part.copy(inlinedDeletes = deleted.toArray))
          val found = texts(read)
          val matching = duck
            .texts(
              s"SELECT file_row_number FROM read_parquet('$written', file_row_number = true), " +
                s"(SELECT 7 AS added) WHERE ${RandomKeys.sql(predicate)}"
            )
            .map(_.toLong)
            .toSet -- deleted

          assert(matching.subsetOf(found.keySet), predicate)
          assert(found.keySet.intersect(deleted.toSet).isEmpty, predicate)
          assert(found.size == read.length, predicate)
          found.foreach { case (position, row) => assert(row == all(position), predicate) }
          if (found.size < KeyFiles.Rows - deleted.size) skipped += 1
        }
        assert(all.size == KeyFiles.Rows)
        assert(skipped > 0, "filters skip rows")
      }
    }
  }
}

/** Random filters over the columns of [[KeyFiles]]. */
private object RandomKeys {

  private val operators = Vector(
    Comparison.Equal,
    Comparison.Equal,
    Comparison.NotEqual,
    Comparison.Less,
    Comparison.LessOrEqual,
    Comparison.Greater,
    Comparison.GreaterOrEqual,
  )

  def deleted(chance: Random): Vector[Long] =
    chance.nextInt(3) match {
      case 0 => Vector.empty
      case 1 => Vector(chance.nextInt(KeyFiles.Rows).toLong)
      case _ => (0L until KeyFiles.Rows.toLong).filter(_ => chance.nextInt(20) == 0).toVector
    }

  def predicate(chance: Random, depth: Int): Predicate =
    if (depth == 0) leaf(chance)
    else
      chance.nextInt(5) match {
        case 0 => Predicate.And(predicate(chance, depth - 1), predicate(chance, depth - 1))
        case 1 => Predicate.Or(predicate(chance, depth - 1), predicate(chance, depth - 1))
        case 2 => Predicate.Not(predicate(chance, depth - 1))
        case _ => leaf(chance)
      }

  private def leaf(chance: Random): Predicate = {
    val index = chance.nextInt(KeyFiles.columns.length + 2)
    if (index == KeyFiles.columns.length) {
      val from = chance.nextInt(KeyFiles.Rows).toLong
      Predicate.And(
        compare(KeyFiles.seq.id, Comparison.GreaterOrEqual, Literal.Integral(from)),
        compare(KeyFiles.seq.id, Comparison.Less, Literal.Integral(from + chance.nextInt(2000))),
      )
    } else if (index > KeyFiles.columns.length)
      compare(KeyFiles.added.id, operator(chance), Literal.Integral(6L + chance.nextInt(3)))
    else {
      val id = KeyFiles.columns(index).id
      chance.nextInt(8) match {
        case 0 => Predicate.IsNull(id)
        case 1 => Predicate.IsNotNull(id)
        case 2 | 3 =>
          val count = if (chance.nextBoolean()) 3 else 1 + chance.nextInt(40)
          Predicate.In(id, Vector.fill(count)(present(chance, index)))
        case 4 if KeyFiles.columns(index).dataType == LakeType.Varchar =>
          present(chance, index) match {
            case Literal.Text(text) => Predicate.StartsWith(id, text.take(chance.nextInt(4)))
            case _ => Predicate.IsNull(id)
          }
        case _ => compare(id, operator(chance), present(chance, index))
      }
    }
  }

  private def operator(chance: Random): Comparison = operators(chance.nextInt(operators.length))

  private def compare(id: ColumnId, operator: Comparison, value: Literal): Predicate =
    Predicate.Compare(id, operator, value)

  /** A value that the column has. */
  private def present(chance: Random, index: Int): Literal =
    Iterator
      .continually(KeyFiles.value(index, chance.nextInt(KeyFiles.Rows)))
      .find(_ != Literal.Null)
      .getOrElse(Literal.Null)

  /** The filter for DuckDB. */
  def sql(predicate: Predicate): String =
    predicate match {
      case Predicate.Compare(id, operator, value) =>
        val sign = operator match {
          case Comparison.Equal => "="
          case Comparison.NotEqual => "<>"
          case Comparison.Less => "<"
          case Comparison.LessOrEqual => "<="
          case Comparison.Greater => ">"
          case Comparison.GreaterOrEqual => ">="
        }
        s"${name(id)} $sign ${literal(value)}"
      case Predicate.In(id, values) => values.map(literal).mkString(s"${name(id)} IN (", ", ", ")")
      case Predicate.IsNull(id) => s"${name(id)} IS NULL"
      case Predicate.IsNotNull(id) => s"${name(id)} IS NOT NULL"
      case Predicate.StartsWith(id, prefix) =>
        s"starts_with(${name(id)}, ${literal(Literal.Text(prefix))})"
      case Predicate.And(left, right) => s"(${sql(left)} AND ${sql(right)})"
      case Predicate.Or(left, right) => s"(${sql(left)} OR ${sql(right)})"
      case Predicate.Not(child) => s"(NOT ${sql(child)})"
      case Predicate.False => "false"
    }

  private def name(id: ColumnId): String =
    (KeyFiles.columns ++ Vector(KeyFiles.seq, KeyFiles.added))
      .find(_.id == id)
      .fold(id.toString)(_.name)

  private def literal(value: Literal): String =
    value match {
      case Literal.Bool(truth) => truth.toString
      case Literal.Integral(number) => number.toString
      case Literal.Floating(number) => s"'$number'::DOUBLE"
      case Literal.Dec(number) => s"'${number.toPlainString}'::DECIMAL(38, ${number.scale})"
      case Literal.Date(days) => s"(DATE '1970-01-01' + $days)"
      case Literal.Timestamp(micros) => s"make_timestamp($micros)"
      case Literal.Text(text) =>
        text.split("\u0000", -1).map(part => s"'$part'").mkString("(", " || chr(0) || ", ")")
      case other => throw new IllegalArgumentException(other.toString)
    }
}
