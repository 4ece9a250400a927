package ducklake.spark.extension

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.scalatest.funsuite.AnyFunSuite

/** What the parser before ours throws comes out as the very same object. */
final class DuckDbSyntaxSpec extends AnyFunSuite {

  /** Our syntax asks a session only for the names of lakes; there are none. */
  private val session = Option.empty[SparkSession].orNull

  private final class Failing(error: Throwable) extends CatalystSqlParser {
    override def parsePlan(sqlText: String): LogicalPlan = throw error
    override def parseMultipartIdentifier(sqlText: String): Seq[String] = throw error
  }

  private val statements =
    Vector("SELECT 1", "SELECT * FROM t AT (VERSION => 3)", "ALTER TABLE t SET SORTED BY (a)")

  for (
    error <- Vector[Throwable](
      new AnalysisException("DIVIDE_BY_ZERO", Map("config" -> "c")),
      new java.io.IOException("checked, and declared nowhere"),
      new IllegalStateException("unchecked"),
      new AssertionError("an error"),
    )
  )
    test(s"a ${error.getClass.getSimpleName} of another parser passes untouched") {
      val parser = new DuckDbSyntax(session, new Failing(error))

      statements.foreach { sql =>
        assert(intercept[Throwable](parser.parsePlan(sql)) eq error)
      }
      assert(intercept[Throwable](parser.parseMultipartIdentifier("a.b")) eq error)
    }
}
