import sbt.*
import sbt.Keys.*
import sbt.complete.DefaultParsers.spaceDelimited

/** Programs of the tests that a person runs, for as long as wanted; `jvm/docs/chaos.md` and
  * `jvm/docs/load.md` describe them.
  */
object Evidence {

  val chaos = inputKey[Unit]("Random sessions of both engines on one lake, while things fail")
  val load = inputKey[Unit]("Many sessions of one Spark on one lake: throughput, fairness, latency")
  val day = inputKey[Unit]("Many commits with upkeep beside them: whether the lake stays as it is")

  /** @param environment what a session of Spark gets from the build
    */
  def settings(environment: Def.Initialize[Task[Map[String, String]]]): Seq[Setting[?]] = Seq(
    chaos := program("chaos.run", "--minutes 10 --database postgres", environment).evaluated,
    load := program("load.run", "--sessions 64 --minutes 10", environment).evaluated,
    day := program("load.day", "--commits 100000 --database postgres", environment).evaluated,
  )

  private def program(
      module: String,
      example: String,
      environment: Def.Initialize[Task[Map[String, String]]],
  ): Def.Initialize[InputTask[Unit]] = Def.inputTask {
    val arguments = spaceDelimited(example).parsed
    val tests = baseDirectory.value / "tests"
    val sources = Seq(tests, baseDirectory.value / "python" / "src").map(_.getPath)
    val own = Map(
      "PYTHONPATH" -> sources.mkString(java.io.File.pathSeparator),
      "SPARK_LOCAL_IP" -> "127.0.0.1",
    )
    PythonEnv.run(
      Seq(PythonEnv.python.value.getPath, "-m", module) ++ arguments,
      tests,
      environment.value ++ own,
    )
  }
}
