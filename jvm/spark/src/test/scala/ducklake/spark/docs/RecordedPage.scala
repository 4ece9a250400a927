package ducklake.spark.docs

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import java.nio.file.Path

/** A page of `jvm/docs` that is made from the code: the recorded file must be what is made now.
  * `./sbt recordPages` sets `DUCKLAKE_RECORD` and so records it again.
  */
abstract class RecordedPage extends AnyFunSuite {

  protected def assertRecorded(file: String, made: String): Assertion = {
    val path = Path.of("..", "docs", file)
    if (sys.env.get("DUCKLAKE_RECORD").contains("1")) {
      Files.writeString(path, made)
      succeed
    } else
      assert(
        Files.readString(path, UTF_8) == made,
        s"$file is not current: record it with `./sbt recordPages`",
      )
  }

  /** A table in Markdown, its lines after the first with a margin for `stripMargin`. */
  protected def table(header: Seq[String], rows: Seq[Seq[String]]): String =
    (header +: header.map(_ => "---") +: rows).map(_.mkString("| ", " | ", " |")).mkString("\n|")
}
