import sbt.*
import sbt.Keys.*
import sbtassembly.AssemblyPlugin.autoImport.assembly

/** The Python tests on versions of Spark other than that of their environment.
  *
  * The full sweep runs once, on the version of the environment. Its long part (random steps, every
  * fixture at every snapshot, every pair of the conflict matrix, every catalog database) looks at
  * the catalog and at commits, whose code is the same on all lines. What differs between lines is
  * how Spark starts, plans, reads and writes. So on each other version all tests run as in
  * `verify`, but with all their cases, together with the starts of Spark that only the sweep has.
  */
object LineTests {

  val pytestLines = taskKey[Unit]("The Python tests of smoke.txt, on each other line of Spark")
  val pytestSparks = taskKey[Unit]("The Python tests, all, on the newest release of each Spark")

  val environments = taskKey[Seq[File]]("An interpreter for each Spark of `pytestLines`")

  private type Environment = Def.Initialize[Task[Map[String, String]]]

  /** Of the wheel, of Maven, of the site and of the sources alone: no Spark of the tests is in them. */
  private val withoutSpark =
    Seq("wheel", "maven", "site", "packages", "report_picture", "lines").map { name =>
      s"--ignore=python/test_$name.py"
    }

  /** The jars under test on a line: its bundle and DuckDB's native library. */
  private def jars(line: String): Def.Initialize[Task[Seq[File]]] = {
    val known = SparkLines.all.find(_.name == line).get
    val bundle = LocalProject(s"bundle${known.suffix}")
    Def.task {
      val native = Wheel.packageJars.value.filter(_.getName.startsWith("duckdb_jdbc"))
      (bundle / assembly).value +: native
    }
  }

  /** What Hadoop of a line needs to open `s3a://`. */
  private def storeJars(line: String): Def.Initialize[Task[Seq[File]]] =
    if (line == SparkLines.spark42.name) Def.task(StoreJars.storeJars.value)
    else
      Def.task {
        StoreJars.storeJarsOfLines.value.filter(_.getParentFile.getName == s"s3a-jars-$line")
      }

  private def interpreter(release: String): Def.Initialize[Task[File]] = Def.task {
    val wheels = (LocalRootProject / PythonEnv.sparkWheels).value
    PythonEnv.withSpark(
      (LocalRootProject / baseDirectory).value,
      (LocalRootProject / PythonEnv.python).value,
      PythonEnv.wheelOf(wheels, release),
      streams.value.log,
    )
  }

  /** Runs the tests on one release.
    *
    * @param environment what tests get beside the jars
    */
  private def on(
      line: String,
      release: String,
      environment: Environment,
      arguments: Seq[String],
  ): Def.Initialize[Task[Unit]] = Def.task {
    def joined(found: Seq[File]) = found.map(_.getPath).mkString(",")
    val ofLine = Map(
      "DUCKLAKE_JAR" -> joined(jars(line).value),
      "DUCKLAKE_STORE_JARS" -> joined(storeJars(line).value),
      "DUCKLAKE_MOVING_JARS" -> joined(MovingJars.movingJars.value),
    )
    val top = (LocalRootProject / baseDirectory).value
    val log = streams.value.log
    val python = interpreter(release).value
    log.info(s"the tests on Spark $release")
    PythonEnv.run(python.getPath +: arguments, top / "tests", environment.value ++ ofLine)
  }

  /** For the root project.
    *
    * @param session what a session of Spark gets from the build
    * @param sweep what the tests get in the full sweep; here only its starts of Spark run
    * @param shared how two processes share the tests of a release; the few of `pytestLines` have one
    *   process for each release instead, which starts half as many Sparks
    */
  def settings(
      session: Environment,
      sweep: Environment,
      pytest: Seq[String],
      shared: Seq[String],
  ): Seq[Setting[?]] = {
    val others = Versions.newestSparks.filterNot(_._1 == SparkLines.spark42.name)
    val starts: Environment = Def.task(sweep.value + ("DUCKLAKE_FULL" -> "starts"))
    Seq(
      environments := others
        .map { case (_, release) => interpreter(release) }
        .joinWith(_.join)
        .value,
      pytestLines := others
        .map { case (line, release) =>
          on(line, release, session, pytest :+ "@smoke.txt")
        }
        .joinWith(_.join.map(_ => ()))
        .value,
      pytestSparks := Versions.newestSparks
        .map { case (line, release) =>
          on(line, release, starts, pytest ++ shared ++ withoutSpark)
        }
        .reduce((first, next) => Def.sequential(first, next))
        .value,
    )
  }
}
