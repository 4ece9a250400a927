import sbt.*
import sbt.Keys.*
import sbt.complete.DefaultParsers.spaceDelimited
import sbtassembly.AssemblyPlugin.autoImport.assembly

/** The commands a person types: `quickstart`, `docs`, `quick`, `verifyCommits`, `verify`,
  * `verifyAll`.
  */
object Verify {

  val quickstart =
    inputKey[Unit]("DuckDB and Spark on one lake, five minutes; may be followed by a bucket")
  val docs =
    taskKey[File]("The documentation as a site, in target/site; links that lead nowhere fail")
  val pythonLint = taskKey[Unit]("Format, lint and types of the Python code")
  val pytest = taskKey[Unit]("The Python tests, against a real DuckDB")
  val pytestAll =
    taskKey[Unit]("The Python tests, every fixture at every snapshot, long random runs")
  val pytestCommits = taskKey[Unit]("The Python tests of what a commit writes and refuses")
  val downloads = taskKey[Unit]("What the tests need from elsewhere")

  /** One step of a command: what a person calls it, and what sbt calls it. */
  private final case class Step(title: String, commands: String*)

  private val format = Step("formatting", "scalafmtSbtCheck", "scalafmtCheckAll")
  private val checks = Step("source checks", "sourceChecks")
  private val compiling =
    Step(
      "compile, warnings are errors, and download what later steps need",
      "all Test/compile downloads",
    )

  /** At once, for each has one core. */
  private val specs =
    Step("ScalaTest, ruff and mypy, the documentation and its links", "all test pythonLint docs")
  private val catalogSpecs = Step("ScalaTest of the catalog module", "catalog/test")
  private val bundles = SparkLines.all.map(line => s"bundle${line.suffix}")
  private val bundling =
    Step("the jars", bundles.map(_ + "/bundleCheck").mkString("all ", " ", ""))

  /** One after the other, for each holds the classes of a whole Spark. */
  private val linking = Step("the jars against each Spark", bundles.map(_ + "/linkCheck")*)

  private val lines = Step("pytest of a few files on each other line of Spark", "pytestLines")
  private val sparks = Step("pytest on the newest release of each Spark", "pytestSparks")

  private val untilPytest = Seq(format, checks, compiling, specs, bundling, linking)

  /** Runs the steps in order and stops at the first that fails, naming it. */
  private def command(name: String, help: String, steps: Seq[Step]): Command =
    Command.command(name, help, help) { state =>
      val numbered = steps.zipWithIndex.flatMap { case (step, index) =>
        val where = s"$name ${index + 1}/${steps.size}: ${step.title}"
        s"announce $where" +: step.commands
      }
      (numbered :+ s"announce $name: everything passed").toList ::: state
    }

  /** Says where a command stands, so that the last such line before an error names the step. */
  private val announce = Command.single("announce") { (state, where) =>
    println(s"\n=== $where")
    state
  }

  private def python(top: File, interpreter: File, folder: String)(arguments: String*): Unit =
    PythonEnv.run(Seq(interpreter.getPath, "-m") ++ arguments, top / folder)

  private def lint(top: File, interpreter: File): Unit = {
    val folders = Seq("python", "tests")
    folders.foreach(python(top, interpreter, _)("ruff", "format", "--check", "--no-cache", "."))
    folders.foreach(python(top, interpreter, _)("ruff", "check", "--no-cache", "."))
    python(top, interpreter, "python")("mypy", "--strict", "src", "examples", "site")
    python(top, interpreter, "python/dbt")("mypy", "--strict", "src")
    python(top, interpreter, "tests")("mypy", "--strict", "support", "comparison", "matrix")
  }

  private def site(top: File, interpreter: File): File = {
    val folder = top / "target" / "site"
    val build = Seq("mkdocs", "build", "--strict", "--config-file", "mkdocs.yml")
    PythonEnv.run(
      Seq(interpreter.getPath, "-m") ++ build ++ Seq("--site-dir", folder.getPath),
      top / "python" / "site",
      Map("NO_MKDOCS_2_WARNING" -> "1"), // the theme's advertisement of its successor
    )
    folder
  }

  private type Environment = Def.Initialize[Task[Map[String, String]]]

  /** What a session of Spark gets from the build: the jars, and the classes of its start. */
  private val sessionEnvironment: Environment = Def.task {
    Map(
      // Python shows moments that Spark collects in the zone of the machine.
      "TZ" -> "UTC",
      "DUCKLAKE_JAR" -> Wheel.packageJars.value.map(_.getPath).mkString(","),
      "DUCKLAKE_STORE_JARS" -> StoreJars.storeJars.value.map(_.getPath).mkString(","),
      "DUCKLAKE_MOVING_JARS" -> MovingJars.movingJars.value.map(_.getPath).mkString(","),
      // Thousands of small, different queries: the optimizing compiler never pays for itself. Without
      // it the JVM reserves 48 MB for compiled code, which fill within minutes; from then on nothing
      // is compiled, and in the end method handles cannot be linked.
      "JAVA_TOOL_OPTIONS" -> "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=512m",
    ) ++ SharedClasses.sharedClasses.value.map("DUCKLAKE_SHARED_CLASSES" -> _.getPath)
  }

  /** What all tests get: also the wheel, Spark's own wheels, and the Maven repository. */
  private val testEnvironment: Environment = Def.task {
    sessionEnvironment.value ++ Map(
      "DUCKLAKE_WHEEL" -> Wheel.wheel.value.getPath,
      "DUCKLAKE_REPOSITORY" -> Publishing.repository.value.getPath,
      "DUCKLAKE_DELTA_JARS" -> MovingJars.deltaJars.value.map(_.getPath).mkString(","),
      "DUCKLAKE_SPARK_WHEELS" -> PythonEnv.sparkWheels.value.getPath,
    )
  }

  /** What the full sweep gets beside. */
  private val sweepEnvironment: Environment = Def.task {
    testEnvironment.value ++ Map(
      "DUCKLAKE_FULL" -> "1",
      "DUCKLAKE_POSTGRES" -> PostgresServers.postgresServers.value.getPath,
      "DUCKLAKE_AZURE" -> AzureStore.azureStore.value.getPath,
      "DUCKLAKE_TOOLS" -> ToolJars.toolJars.value.getPath,
      "DUCKLAKE_CHANGE_DATA" -> ChangeDataJars.changeDataJars.value.getPath,
      "DUCKLAKE_CATALOG_CLASSPATH" -> (LocalProject("catalog") / Test / fullClasspath).value
        .map(_.data.getPath)
        .mkString(java.io.File.pathSeparator),
    )
  }

  private val pytestArguments = Seq("-m", "pytest", "-m", "not bench", "--durations=10")

  /** With a Spark each; `tests/conftest.py` says which tests stay together. */
  private val inTwoProcesses = Seq("-n", "2", "--dist", "loadscope", "--no-loadscope-reorder")

  /** Leaves the time that each test took in `target/pytest.xml`.
    *
    * @param chosen the files of tests, or a file that lists them; empty: all
    */
  private def runTests(environment: Environment, chosen: String*) = Def.task {
    val times = s"--junit-xml=${target.value / "pytest.xml"}"
    val arguments = (pytestArguments ++ inTwoProcesses :+ times) ++ chosen
    PythonEnv.run(
      PythonEnv.python.value.getPath +: arguments,
      baseDirectory.value / "tests",
      environment.value,
    )
  }

  /** @param bucket where the lake's files go; empty: beside the catalog
    */
  private def example(bucket: Seq[String]): Def.Initialize[Task[Unit]] = {
    val storeJars: Def.Initialize[Task[Seq[File]]] =
      if (bucket.isEmpty) Def.task(Seq.empty[File]) else Def.task(StoreJars.storeJars.value)
    Def.task {
      Wheel.packageJars.value
      val source = baseDirectory.value / "python"
      val lake = baseDirectory.value / "target" / "quickstart"
      val own = Map("PYTHONPATH" -> (source / "src").getPath, "SPARK_LOCAL_IP" -> "127.0.0.1")
      val jars = storeJars.value.map(_.getPath).mkString(",")
      PythonEnv.run(
        Seq(PythonEnv.python.value.getPath, "examples/quickstart.py", lake.getPath) ++ bucket,
        source,
        own ++ Seq("DUCKLAKE_STORE_JARS" -> jars).filterNot(_._2.isEmpty),
      )
    }
  }

  /** For the root project. */
  val settings: Seq[Setting[?]] = PythonEnv.settings ++ SourceChecks.settings ++
    PostgresServers.settings ++ AzureStore.settings ++ SharedClasses.settings ++
    LineTests.settings(sessionEnvironment, sweepEnvironment, pytestArguments, inTwoProcesses) ++
    Evidence.settings(sessionEnvironment) ++ Seq(
      pythonLint := lint(baseDirectory.value, PythonEnv.python.value),
      docs := {
        val made = site(baseDirectory.value, PythonEnv.python.value)
        streams.value.log.info(s"read ${made / "index.html"}")
        made
      },
      downloads := {
        PythonEnv.sparkWheels.value
        LineTests.environments.value
        StoreJars.storeJars.value
        StoreJars.storeJarsOfLines.value
        MovingJars.movingJars.value
        MovingJars.deltaJars.value
      },
      pytest := runTests(testEnvironment).value,
      pytestCommits := runTests(sessionEnvironment, "@commits.txt").value,
      pytestAll := runTests(sweepEnvironment).value,
      quickstart := Def
        .inputTaskDyn(example(spaceDelimited("s3://bucket/folder/").parsed))
        .evaluated,
      commands ++= Seq(
        announce,
        command(
          "quick",
          "The checks and tests of the catalog module: about a minute, no Spark",
          Seq(format, checks, catalogSpecs),
        ),
        command(
          "verifyCommits",
          "What a change of the commit path can break: the catalog module, and pytest of commits",
          Seq(catalogSpecs, Step("pytest of commits", "pytestCommits")),
        ),
        command(
          "verify",
          "Every check, and the tests; of what is dear a part",
          untilPytest ++ Seq(Step("the wheel, and pytest", "pytest"), lines),
        ),
        command(
          "verifyAll",
          "As verify, with all of what is dear, and long random runs",
          untilPytest ++ Seq(Step("the wheel, and pytest, the full sweep", "pytestAll"), sparks),
        ),
        command(
          "recordPages",
          "Writes the pages of jvm/docs that are made from the code",
          Seq(
            Step(
              "configuration.md, types.md",
              "set sparkModule / Test / envVars += \"DUCKLAKE_RECORD\" -> \"1\"",
              "spark/testOnly ducklake.spark.docs.*",
              "session clear",
            )
          ),
        ),
      ),
    )
}
