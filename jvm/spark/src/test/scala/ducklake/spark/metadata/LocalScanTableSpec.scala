package ducklake.spark.metadata

import ducklake.spark.testkit.LocalSpark
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.connector.read.SupportsPushDownLimit
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns
import org.apache.spark.sql.connector.read.SupportsReportStatistics
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.View

/** What is made of a result on the driver, and when. */
final class LocalScanTableSpec extends AnyFunSuite with LocalSpark {

  private val schema = new StructType().add("id", LongType).add("name", StringType)

  /** Rows that count how many of them are made, and a table with them. */
  private final class Counted(rows: Long, count: Option[() => Long]) {
    var made = 0L

    private val result = new LocalResult(
      schema,
      () =>
        View.fromIteratorProvider(() =>
          Iterator.iterate(0L)(_ + 1).takeWhile(_ < rows).map { id =>
            made += 1
            Vector[Any](id, Option(s"row $id"))
          }
        ),
      count = count,
    )

    def scan(limit: Option[Int], columns: StructType = schema): LocalScan =
      new LocalScanTable("t", result).newScanBuilder(CaseInsensitiveStringMap.empty()) match {
        case builder: SupportsPushDownLimit with SupportsPushDownRequiredColumns =>
          limit.foreach(builder.pushLimit(_): Unit)
          builder.pruneColumns(columns)
          builder.build() match {
            case scan: LocalScan => scan
            case other => fail(s"$other")
          }
        case other => fail(s"$other")
      }
  }

  private def rowsIn(scan: LocalScan): Long = scan match {
    case reporting: SupportsReportStatistics => reporting.estimateStatistics().numRows().getAsLong
    case other => fail(s"$other")
  }

  test("statistics make no rows where their number is known") {
    val counted = new Counted(10L, Some(() => 10L))
    val scan = counted.scan(limit = None)

    assert(rowsIn(scan) == 10L)
    assert(counted.made == 0L)
    assert(scan.rows().map(row => (row.getLong(0), row.getString(1))).last == ((9L, "row 9")))
  }

  test("rows whose number is not known are made once") {
    val counted = new Counted(10L, None)
    val scan = counted.scan(limit = None, new StructType().add("name", StringType))

    assert(rowsIn(scan) == 10L)
    assert(scan.rows().map(_.getString(0)).take(2).toSeq == Seq("row 0", "row 1"))
    assert(counted.made == 10L)
  }

  test("a limit makes no more rows than it shows") {
    val counted = new Counted(Long.MaxValue, Some(() => Long.MaxValue))
    val scan = counted.scan(limit = Some(3))

    assert(rowsIn(scan) == 3L)
    assert(scan.rows().map(_.getLong(0)).toSeq == Seq(0L, 1L, 2L))
    assert(counted.made == 3L)
  }
}
