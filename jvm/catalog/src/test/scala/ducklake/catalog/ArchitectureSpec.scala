package ducklake.catalog

import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

import scala.jdk.CollectionConverters.IteratorHasAsScala
import scala.jdk.CollectionConverters.ListHasAsScala

/** The packages of this module in the order in which they may import each other. */
class ArchitectureSpec extends AnyFunSuite {

  /** Which packages of ours each package may import; `types` and `model` describe each other. */
  private val allowed = Map(
    "error" -> Set.empty[String],
    "types" -> Set("error", "model"),
    "model" -> Set("types", "partition"),
    "partition" -> Set("types", "model"),
    "predicate" -> Set("types", "model", "partition"),
    "sql" -> Set("types", "model", "predicate"),
    "change" -> Set("error", "types", "partition", "model", "sql"),
    "jdbc" -> Set("error", "types", "model", "sql"),
    "cache" -> Set("types", "model", "partition", "predicate", "sql"),
    "read" ->
      Set("error", "types", "model", "partition", "predicate", "sql", "change", "jdbc", "cache"),
    "commit" -> Set("error", "types", "model", "sql", "change", "jdbc", "read"),
  )

  private val root = {
    val inside = "src/main/scala/ducklake/catalog"
    Seq(Path.of(inside), Path.of("jvm/catalog", inside))
      .find(Files.isDirectory(_))
      .getOrElse(
        fail("the sources are not found from the working directory")
      )
  }

  private def importsOf(folder: Path): Vector[(String, String)] = {
    val walk = Files.walk(folder)
    try
      walk.iterator.asScala.filter(_.toString.endsWith(".scala")).toVector.flatMap { file =>
        val lines = Files.readAllLines(file).asScala.map(_.trim).toVector
        lines.filter(_.startsWith("import ")).map(file.getFileName.toString -> _.drop(7))
      }
    finally walk.close()
  }

  test("packages import only those above them") {
    allowed.foreach { case (name, above) =>
      importsOf(root.resolve(name)).foreach {
        case (file, s"ducklake.catalog.$imported.$_") if imported.head.isLower =>
          assert(imported == name || above(imported), s"$name/$file imports $imported")
        case _ =>
      }
    }
  }

  test("only jdbc speaks JDBC, and nothing speaks Spark or Hadoop") {
    importsOf(root).foreach { case (file, imported) =>
      assert(!imported.startsWith("org.apache."), file)
    }
    (allowed.keySet - "jdbc").foreach { name =>
      importsOf(root.resolve(name)).foreach { case (file, imported) =>
        assert(!imported.startsWith("java.sql"), s"$name/$file")
      }
    }
  }
}
