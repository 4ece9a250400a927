import sbt.*
import sbt.Keys.*
import sbt.librarymanagement.DependencyResolution
import sbt.librarymanagement.UnresolvedWarningConfiguration
import sbt.librarymanagement.UpdateConfiguration
import sbtassembly.AssemblyPlugin.autoImport.assembly

/** Whether the jar of a line runs on each patch release of Spark that it serves, as far as classes,
  * methods and fields decide it: Spark changes internals in patches too.
  */
object LinkCheck {

  val linkCheck = taskKey[Unit]("Every reference of the jar resolved against each Spark it serves")

  /** Problems that cannot occur, by release, each with the reason. */
  private val harmless: Seq[(String, String, String)] = Seq(
    (
      "4.3.0",
      "parquet/write/ConvertedRow: does not implement",
      "values of TIMESTAMP in nanoseconds, a type that no column of a lake has",
    ),
    (
      "4.3.0",
      "extension/optimizer/SubplanMerging$: there is no",
      "Spark's rule is asked only where Spark does not merge the scans of lakes itself",
    ),
  )

  private def isHarmless(release: String, problem: String): Boolean =
    harmless.exists { case (of, text, _) => of == release && problem.contains(text) }

  /** Spark's jars of a release, and those they need, from Maven Central. */
  private def published(resolution: DependencyResolution, release: String, log: Logger): Seq[File] =
    resolution.update(
      resolution.wrapDependencyInModule(
        "org.apache.spark" % s"spark-sql_${CrossVersion.binaryScalaVersion(Versions.scala)}" % release
      ),
      UpdateConfiguration(),
      UnresolvedWarningConfiguration(),
      log,
    ) match {
      case Right(report) => report.allFiles.filter(_.getName.endsWith(".jar")).distinct
      case Left(missing) => throw missing.resolveException
    }

  /** The jars in a wheel of PySpark. */
  private def wheeled(wheels: File, release: String, folder: File): Seq[File] = {
    val jars = folder / release
    if (!jars.exists) {
      val wheel = (wheels * s"pyspark-$release-*.whl").get.head
      IO.unzip(wheel, jars, (name: String) => name.startsWith("pyspark/jars/"))
    }
    (jars ** "*.jar").get
  }

  private type Released = Seq[(String, Seq[File])]

  private def inWheels(line: SparkLine): Def.Initialize[Task[Released]] =
    if (line.inWheels.isEmpty) Def.task(Nil)
    else
      Def.task {
        val wheels = (LocalRootProject / PythonEnv.sparkWheels).value
        val folder = (LocalRootProject / target).value / "spark-jars"
        line.inWheels.map(release => release -> wheeled(wheels, release, folder))
      }

  /** For the bundle of a line. */
  def settings(line: SparkLine): Seq[Setting[?]] = Seq(
    linkCheck := {
      val log = streams.value.log
      val jar = assembly.value
      val resolution = dependencyResolution.value
      val released =
        line.published.map(release => release -> published(resolution, release, log)) ++
          inWheels(line).value
      val broken = check(jar, released, log)
      if (broken > 0) throw new MessageOnlyException(s"${jar.getName}: $broken links are broken")
    }
  )

  private def check(jar: File, released: Released, log: Logger): Int = {
    val linking = new Linking(jar, released.head._2)
    try
      released.map { case (release, jars) =>
        val problems = linking.problems(jars).filterNot(isHarmless(release, _))
        problems.foreach(line => log.error(s"Spark $release: $line"))
        log.info(s"${jar.getName} on Spark $release: ${problems.size} broken links")
        problems.size
      }.sum
    finally linking.close()
  }
}
