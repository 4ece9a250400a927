package ducklake.spark

import org.scalatest.funsuite.AnyFunSuite

/** On which Sparks the jar of the newest line refuses to work. */
final class ServedSparkSpec extends AnyFunSuite {

  private def refusal(release: String): Option[String] =
    ServedSpark.refusal(release).map(_.message)

  private val ours = "This is the jar for Spark 4.2 and 4.3; this is Spark"

  test("every patch of a served Spark is served, also one of a platform") {
    val served = Seq("4.2.0", "4.3.11", "4.2.0-SNAPSHOT", "4.3.0.dev1", "4.2-platform")

    assert(served.flatMap(refusal(_)) == Nil)
  }

  test("a Spark that another jar serves has its artifact in the error") {
    assert(refusal("4.1.4").contains(s"$ours 4.1.4. Use ducklake-spark-4.1_2.13."))
    assert(refusal("4.0.0-amzn-1").contains(s"$ours 4.0.0-amzn-1. Use ducklake-spark-4.0_2.13."))
  }

  test("a Spark that no jar serves has those in the error that are") {
    val known = "There are jars for Spark 4.0, 4.1, 4.2 and 4.3."

    assert(refusal("3.5.9").contains(s"$ours 3.5.9. $known"))
    assert(refusal("4.20.1").contains(s"$ours 4.20.1. $known"))
  }

  test("the Spark of the tests is served") {
    ServedSpark.check()
  }
}
