import sbt.*
import sbt.Keys.*

/** An archive of the classes that Spark loads when it starts. Each Spark of the tests maps it into
  * memory instead of loading them anew. It is made by `jcmd`, which a JDK has and a JRE has not.
  */
object SharedClasses {

  val sharedClasses =
    taskKey[Option[File]]("The classes of Spark's start, in target/spark-classes; none in a JRE")

  /** The archive is of one Java and of one class path: PySpark's in the virtual environment. */
  private def made(top: File, python: File): Option[File] = {
    val folder = top / "target" / "spark-classes"
    val archive = folder / "spark.jsa"
    val java = file(sys.env.getOrElse("JAVA_HOME", sys.props("java.home")))
    val program = s"jcmd: ${(java / "bin" / "jcmd").exists}"
    val pins = IO.readLines(top / "python" / "requirements-dev.txt")
    val spark = pins.filter(_.startsWith("pyspark==")).mkString
    val stamp = Seq(java.getPath, sys.props("java.vm.version"), program, spark, python.getPath)
    PythonEnv.remake(folder, stamp.mkString("\n")) {
      IO.createDirectory(folder)
      PythonEnv.run(
        Seq(python.getPath, "-m", "support.sharedclasses", archive.getPath),
        top / "tests",
        Map("SPARK_LOCAL_IP" -> "127.0.0.1"),
      )
    }
    Some(archive).filter(_.exists)
  }

  /** For the root project. */
  val settings: Seq[Setting[?]] = Seq(
    sharedClasses := made(baseDirectory.value, PythonEnv.python.value)
  )
}
