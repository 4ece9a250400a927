package ducklake.spark.parquet.read

import ducklake.catalog.types.LakeType
import ducklake.spark.testkit.DuckDbFiles
import ducklake.spark.testkit.TaskRows
import ducklake.spark.testkit.TaskRows.column
import ducklake.spark.testkit.TaskRows.data
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** Decimals of files whose column became FLOAT or DOUBLE are the very floats that DuckDB reads. */
final class DecimalFloatsSpec extends AnyFunSuite with BeforeAndAfterAll {

  private val duckDb = new DuckDbFiles
  private val random = new Random(3)

  override protected def afterAll(): Unit = duckDb.close()

  /** Up to so many digits, of either sign. */
  private def number(precision: Int, scale: Int): String = {
    val length = 1 + random.nextInt(precision)
    val digits = Seq.fill(length)(random.nextInt(10)).mkString.reverse.padTo(scale + 1, '0').reverse
    val sign = if (random.nextBoolean()) "-" else ""
    s"$sign${digits.dropRight(scale)}.${digits.takeRight(scale)}"
  }

  private def read(file: java.nio.file.Path, lakeType: LakeType.Primitive): Vector[Any] = {
    val spec = TaskRows.spec(data(column(1, "c", lakeType)))
    TaskRows.of(spec, TaskRows.part(file)).map(_.head)
  }

  for ((precision, scale) <- Vector((9, 4), (18, 3), (18, 12), (38, 3), (38, 20), (38, 30)))
    test(s"DECIMAL($precision, $scale)") {
      val texts = Vector.fill(1000)(number(precision, scale))
      val values = texts.map(text => s"('$text'::DECIMAL($precision, $scale))").mkString(", ")
      val file = duckDb.write(s"d$precision$scale.parquet", s"FROM (VALUES $values) t(c)", "{c: 1}")
      def casts(dataType: String) = duckDb.texts(s"SELECT c::$dataType::VARCHAR FROM '$file'")

      assert(read(file, LakeType.Float64) == casts("DOUBLE").map(_.toDouble))
      assert(read(file, LakeType.Float32) == casts("FLOAT").map(_.toFloat))
    }
}
