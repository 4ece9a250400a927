import sbt.*
import sbt.Keys.*
import sbt.complete.DefaultParsers.spaceDelimited
import sbt.librarymanagement.DependencyResolution
import sbtassembly.AssemblyPlugin.autoImport.assembly

/** Whether the jar of a line runs on each patch release of Spark that it serves, as far as classes,
  * methods and fields decide it: Spark changes internals in patches too.
  */
object LinkCheck {

  val linkCheck = taskKey[Unit]("Every reference of the jar resolved against each Spark it serves")
  val linkAgainst = inputKey[Unit](
    "The same against the jars of a platform: linkAgainst <line, such as 4.0> <folder with its jars>"
  )

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
    Resolving.jars(
      resolution,
      Seq(
        "org.apache.spark" % s"spark-sql_${CrossVersion.binaryScalaVersion(Versions.scala)}" % release
      ),
      log,
    )

  /** The jars in a wheel of PySpark. */
  private def wheeled(wheels: File, release: String, folder: File): Seq[File] = {
    val jars = folder / release
    if (!jars.exists) {
      IO.unzip(
        PythonEnv.wheelOf(wheels, release),
        jars,
        (name: String) => name.startsWith("pyspark/jars/"),
      )
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
      val moving = Resolving.jars(resolution, MovingJars.libraries, log)
      val broken = check(jar, released.map { case (name, jars) => name -> (jars ++ moving) }, log)
      if (broken > 0) throw new MessageOnlyException(s"${jar.getName}: $broken links are broken")
    }
  )

  /** For the root project: platforms change Spark's internals, and only they have their jars. */
  val platforms: Setting[?] = linkAgainst := Def.inputTaskDyn {
    val (line, folder) = lineAndFolder(spaceDelimited("<line> <folder>").parsed)
    Def.task {
      val log = streams.value.log
      val jar = (LocalProject(s"bundle${line.suffix}") / assembly).value
      val moving = Resolving.jars(dependencyResolution.value, MovingJars.libraries, log)
      val compiled = published(dependencyResolution.value, line.published.head, log) ++ moving
      val linking = new Linking(jar, compiled)
      val problems =
        try linking.problems((folder ** "*.jar").get ++ moving)
        finally linking.close()
      problems.foreach(problem => log.error(problem))
      val found = s"${jar.getName} on the jars of $folder: ${problems.size} broken links"
      if (problems.nonEmpty) throw new MessageOnlyException(found) else log.info(found)
    }
  }.evaluated

  private def lineAndFolder(arguments: Seq[String]): (SparkLine, File) = arguments match {
    case Seq(name, folder) =>
      val names = SparkLines.all.map(_.name).mkString(", ")
      val line = SparkLines.all.find(_.name == name)
      if ((file(folder) ** "*.jar").get.isEmpty) refuse(s"no jar is below $folder")
      line.getOrElse(refuse(s"$name is no line of Spark: $names")) -> file(folder)
    case _ => refuse("give the line and a folder: linkAgainst 4.0 /platform/jars")
  }

  private def refuse(why: String): Nothing = throw new MessageOnlyException(why)

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
