package ducklake.spark.moving

import org.scalatest.funsuite.AnyFunSuite

import java.time.Instant

class SourceHistorySpec extends AnyFunSuite {

  private def version(number: Int, second: Option[Int]): SourceVersion =
    SourceVersion(
      number.toString,
      s"version $number",
      second.map(at => Instant.ofEpochSecond(at.toLong)),
      None,
    )

  private def history(seconds: Option[Int]*): SourceHistory =
    SourceHistory.of(
      seconds.toVector.zipWithIndex.map { case (second, number) => version(number, second) },
      None,
    )

  test("versions with rising times are kept, the last one also without a time") {
    val found = history(Some(1), Some(2), Some(3), None)
    assert(found.versions.map(_.version) == Vector("0", "1", "2", "3"))
    assert(found.left.isEmpty)
  }

  test("of versions with the same time the last one is kept") {
    val found = history(Some(1), Some(1), Some(2), Some(2))
    assert(found.versions.map(_.version) == Vector("1", "3"))
    assert(
      found.left == Vector(
        "version 0: version 1 came later, but its time is not later",
        "version 2: version 3 came later, but its time is not later",
      )
    )
  }

  test("a version that no moment finds is left out, because a later one has an earlier time") {
    assert(history(Some(1), Some(5), Some(3)).versions.map(_.version) == Vector("0", "2"))
  }
}
