package ducklake.spark.docs

import ducklake.catalog.error.LakeError

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import java.nio.file.Path

/** `jvm/docs/errors.md`: every condition, as its class and the comment on it say. */
final class ErrorsPageSpec extends RecordedPage {

  import ErrorsPageSpec.Condition

  private val stated =
    """(?s)/\*\* ((?:[^*]|\*(?!/))+)\*/\s+final case class (\w+)\([^)]*\)\s+extends LakeError\("(\w+)", "(\w+)"\)""".r

  private val single =
    """(?s)/\*\* ((?:[^*]|\*(?!/))+)\*/\s+case object (\w+) extends LakeError\("(\w+)", "(\w+)"\)""".r

  private val pythonClass = """(?s)class (\w+)\(DuckLakeError\):.*?condition = "(\w+)"""".r

  private def source(path: String*): String =
    Files.readString(Path.of("..", path*), UTF_8)

  private lazy val conditions: Vector[Condition] = {
    val text =
      source("catalog", "src", "main", "scala", "ducklake", "catalog", "error", "LakeError.scala")
    Vector(stated, single).flatMap(_.findAllMatchIn(text)).sortBy(_.start).map { found =>
      Condition(found.group(2), found.group(3), found.group(4), oneLine(found.group(1)))
    }
  }

  private def oneLine(comment: String): String = comment.replaceAll("\\n *\\*", "").trim

  private lazy val pythonClasses: Map[String, String] =
    pythonClass
      .findAllMatchIn(source("..", "python", "src", "ducklake_spark", "errors.py"))
      .map(found => found.group(2) -> found.group(1))
      .toMap

  private def page: String = {
    val rows = conditions.map { c =>
      Seq(s"`${c.condition}`", c.sqlState, s"`${pythonClasses(c.condition)}`", c.is)
    }
    s"""# Errors
       |
       |Every error of this connector has a condition, a SQLSTATE and a text. Condition and SQLSTATE are stable. The text may
       |change: it says what happened, why, and what to do.
       |
       |- On the driver it is Spark's `AnalysisException`, in a task a `QueryExecutionException` inside of Spark's own exception. Both
       |  are `SparkThrowable`, with `getCondition` and `getSqlState`.
       |- In Python, the methods of `Lake` and `Table` raise a class of `ducklake_spark` for each condition, all of them subclasses
       |  of `DuckLakeError`. The block `with translated_errors():` does the same for your own code.
       |- A table, view, schema or column that does not exist is Spark's own error, such as `TABLE_OR_VIEW_NOT_FOUND`.
       |
       |A statement that fails leaves the lake as it was. These are the exceptions:
       |
       |- After `DUCKLAKE_COMMIT_OUTCOME_UNKNOWN` it is not known whether the commit was made. Look at the snapshots before you
       |  run the statement again.
       |- After `DUCKLAKE_FLUSH_INCOMPLETE` and `DUCKLAKE_MAINTENANCE_INCOMPLETE` a procedure has done a part of its work, which stays.
       |- An export with `flush => true` that is refused may have flushed the rows.
       |- MERGE WITH SCHEMA EVOLUTION on Spark 4.1 may leave new columns, and `toTable` of a stream an empty table.
       |
       |SQLSTATE 40001 means that you can run the statement again.
       |
       |The table is made from the code.
       |
       |${table(Seq("condition", "SQLSTATE", "in Python", "what it is"), rows)}
       |
       |## A jar for another Spark
       |
       |Each version of Spark has [its jar](deployment.md#which-jar-for-which-spark). On another one the extension, the catalog and
       |`format("ducklake")` end with `DUCKLAKE_WRONG_SPARK`, which names the jar to use. Where Spark cannot even load the class of
       |the catalog, none of our code runs, and the error is Java's own:
       |
       || the jar for | on | without the extension, the first statement that names the catalog |
       || --- | --- | --- |
       || Spark 4.2 and 4.3 | Spark 4.0, 4.1 | `NoClassDefFoundError: org/apache/spark/sql/connector/catalog/RelationCatalog` |
       |
       |In Python, `Lake` and `configure` say `WrongSparkError` then, too.
       |""".stripMargin
  }

  test("the page of errors is what the code knows") {
    assertRecorded("errors.md", page)
  }

  test("no condition is left out of the page") {
    val classes = classOf[LakeError].getDeclaredClasses ++ LakeError.getClass.getDeclaredClasses
    val named = classes.filter(classOf[LakeError].isAssignableFrom(_)).map(_.getSimpleName)
    assert(named.map(_.stripSuffix("$")).toSet == conditions.map(_.name).toSet)
  }
}

private object ErrorsPageSpec {

  /** @param is what its comment says */
  final case class Condition(name: String, condition: String, sqlState: String, is: String)
}
