import sbt.*
import sbt.Keys.*
import sbtassembly.AssemblyPlugin.autoImport.assembly

import java.util.zip.ZipFile
import scala.collection.JavaConverters.*

/** The bundle of a line as two jars. The wheel carries all lines, and what they share only once. */
object WheelJars {

  /** @param common the catalog module, the pool and the drivers, the same for every line
    * @param own what is compiled for the line
    */
  final case class Parts(line: SparkLine, common: File, own: File)

  val wheelParts = taskKey[Parts]("The bundle of a line as two jars, for the wheel")

  private val compiledForLine = Seq(
    "ducklake/files/",
    "ducklake/spark/",
    Linking.insideSpark,
    "META-INF/services/org.apache.spark.",
    Sbom.inJars,
  )

  private def isOfLine(entry: String): Boolean = compiledForLine.exists(entry.startsWith(_))

  /** The manifest names the bundle of the line; a jar needs none. A wheel is for one platform. */
  private def isCommon(entry: String): Boolean =
    !isOfLine(entry) && !isOfOtherPlatform(entry) && entry != "META-INF/MANIFEST.MF"

  private def isOfOtherPlatform(entry: String): Boolean = {
    val libraries = "org/sqlite/native/"
    entry.startsWith(libraries) && !entry.startsWith(s"$libraries${Platform.sqlite}/")
  }

  private def part(bundle: File, made: File)(isIn: String => Boolean): File = {
    if (made.lastModified <= bundle.lastModified)
      IO.withTemporaryDirectory { folder =>
        val files = IO.unzip(bundle, folder, (name: String) => isIn(name)).toSeq.sorted
        IO.zip(files.flatMap(file => IO.relativize(folder, file).map(file -> _)), made, Some(0L))
      }
    made
  }

  /** Every file of a jar, with its checksum. */
  private def contents(jar: File): Map[String, Long] = {
    val zip = new ZipFile(jar)
    try zip.entries.asScala.map(entry => entry.getName -> entry.getCrc).toMap
    finally zip.close()
  }

  /** Fails where lines differ in what the wheel has only once. */
  def refuseDifferent(lines: Seq[Parts]): Unit = {
    val known = contents(lines.head.common)
    lines.tail.foreach { parts =>
      val different = contents(parts.common).toSet.diff(known.toSet) ++
        known.toSet.diff(contents(parts.common).toSet)
      if (different.nonEmpty)
        sys.error(s"${parts.line.name} has another ${different.map(_._1).toSeq.sorted.head}")
    }
  }

  /** For the bundle of a line. */
  def settings(line: SparkLine): Seq[Setting[?]] = Seq(
    wheelParts := {
      val bundle = assembly.value
      val folder = target.value / "wheel"
      Parts(
        line,
        part(bundle, folder / s"ducklake-spark-common-${version.value}.jar")(isCommon),
        part(bundle, folder / s"${line.jar}-thin-${version.value}.jar")(isOfLine),
      )
    }
  )
}
