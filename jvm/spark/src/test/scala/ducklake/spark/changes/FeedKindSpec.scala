package ducklake.spark.changes

import org.scalatest.funsuite.AnyFunSuite

import java.io.File
import java.net.URLClassLoader

class FeedKindSpec extends AnyFunSuite {

  private val places =
    System.getProperty("java.class.path").split(File.pathSeparator).map(new File(_).toURI.toURL)

  /** All kinds in classes of their own, of which a kind is the first that is used. */
  private def allAfter(first: String): String = {
    val loader = new URLClassLoader(places, ClassLoader.getPlatformClassLoader)
    try {
      Class.forName(s"ducklake.spark.changes.FeedKind$$$first$$", true, loader): Unit
      val kinds = Class.forName("ducklake.spark.changes.FeedKind$", true, loader)
      kinds.getMethod("all").invoke(kinds.getField("MODULE$").get(kinds)).toString
    } finally loader.close()
  }

  test("whichever kind is used first, all are there") {
    Seq("Changes", "Insertions", "Deletions").foreach { first =>
      assert(allAfter(first) == "Vector(Changes, Insertions, Deletions)", first)
    }
  }
}
