import sbt.*
import sbt.Keys.*
import sbt.complete.DefaultParsers.spaceDelimited

/** `./sbt "chaos --minutes 10 --database postgres"`: sessions of both engines work on one lake while
  * processes, connections, the database and the disk fail; `jvm/docs/chaos.md` describes it.
  */
object Chaos {

  val chaos = inputKey[Unit]("Random sessions of both engines on one lake, while things fail")

  /** @param environment what a session of Spark gets from the build
    */
  def settings(environment: Def.Initialize[Task[Map[String, String]]]): Seq[Setting[?]] = Seq(
    chaos := {
      val arguments = spaceDelimited("--minutes 10 --database postgres").parsed
      val tests = baseDirectory.value / "tests"
      val sources = Seq(tests, baseDirectory.value / "python" / "src").map(_.getPath)
      val own = Map(
        "PYTHONPATH" -> sources.mkString(java.io.File.pathSeparator),
        "SPARK_LOCAL_IP" -> "127.0.0.1",
      )
      PythonEnv.run(
        Seq(PythonEnv.python.value.getPath, "-m", "chaos.run") ++ arguments,
        tests,
        environment.value ++ own,
      )
    }
  )
}
