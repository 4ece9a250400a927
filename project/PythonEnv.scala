import sbt.*
import sbt.Keys.*

import scala.sys.process.Process
import scala.sys.process.ProcessLogger

/** Python for the build: a virtual environment below `target/`, made from pinned requirements and
  * made anew when the pins change. Nothing of the machine is used but an interpreter.
  */
object PythonEnv {

  val python = taskKey[File]("The interpreter of the build's virtual environment")
  val sparkWheels = taskKey[File]("A folder with the wheels of Spark that are tested, of each line")

  /** What takes minutes to make, or runs the build, stays when sbt cleans. */
  def kept(target: File): Seq[Glob] = Seq(
    target.toGlob / "venv" / RecursiveGlob,
    target.toGlob / "sparks" / RecursiveGlob,
    target.toGlob / "dbt" / RecursiveGlob,
    target.toGlob / "wheelhouse" / RecursiveGlob,
    target.toGlob / "postgres" / RecursiveGlob,
    target.toGlob / "sbt-launch-*.jar",
  )

  private val oldest = (3, 10)

  /** Newest first after the plain names, which are what the user put first on the path. */
  private val candidates =
    sys.env.get("DUCKLAKE_PYTHON").toSeq ++ Seq("python3", "python") ++
      Seq(14, 13, 12, 11, 10).map(minor => s"python3.$minor")

  private def isUsable(name: String): Boolean = {
    val check = s"import sys, venv, ensurepip; sys.exit(sys.version_info < $oldest)"
    val quiet = ProcessLogger(_ => ())
    scala.util.Try(Process(Seq(name, "-c", check)).!(quiet)).toOption.contains(0)
  }

  private def interpreter: String = candidates
    .find(isUsable)
    .getOrElse(
      sys.error(
        s"no Python of version ${oldest._1}.${oldest._2} or newer with the module venv was found " +
          "(on Debian and Ubuntu: python3-venv); set DUCKLAKE_PYTHON to the interpreter to use"
      )
    )

  /** Runs a program, its output passed on line by line; an exit code other than 0 fails the task. */
  def run(
      program: Seq[String],
      folder: File,
      environment: Map[String, String] = Map.empty,
  ): Unit = {
    val output = ProcessLogger(line => println(line))
    val code = Process(program, folder, environment.toSeq*).!(output)
    if (code != 0) throw new MessageOnlyException(s"${program.take(4).mkString(" ")} … gave $code")
  }

  /** Does the work when the stamp in the folder is not the given text; the stamp comes last. */
  def remake(folder: File, stamp: String)(work: => Unit): Unit = {
    val mark = folder / ".made-from"
    if (!mark.exists || IO.read(mark) != stamp) {
      IO.delete(folder)
      work
      IO.write(mark, stamp)
    }
  }

  private def pip(python: File, folder: File, arguments: String*): Unit = run(
    Seq(python.getPath, "-m", "pip", "--disable-pip-version-check", "-q") ++ arguments,
    folder,
  )

  /** Python compiles what is imported when it is imported; most of the packages never is. */
  private val install = Seq("install", "--no-compile")

  private val inside =
    if (scala.util.Properties.isWin) "Scripts/python.exe" else "bin/python"

  private def environment(top: File, log: Logger): File = {
    val folder = top / "target" / "venv"
    val requirements = top / "python" / "requirements-dev.txt"
    remake(folder, IO.read(requirements)) {
      log.info(s"making the virtual environment $folder (some minutes, once)")
      run(Seq(interpreter, "-m", "venv", folder.getPath), top)
      pip(folder / inside, top, (install :+ s"pip==${Versions.pip}")*)
      val spark = wheel(top, folder / inside, Versions.spark, log).getParent
      pip(
        folder / inside,
        top,
        (install ++ Seq("--find-links", spark, "-r", requirements.getPath))*
      )
    }
    folder / inside
  }

  /** An interpreter with the packages of another one, and with another PySpark in front of them. */
  def withSpark(top: File, python: File, wheel: File, log: Logger): File = {
    val release = wheel.getName.split('-')(1)
    val folder = top / "target" / "sparks" / release
    val interpreter = folder / inside
    remake(folder, s"$python $release") {
      log.info(s"making the virtual environment $folder")
      run(Seq(python.getPath, "-m", "venv", "--without-pip", folder.getPath), top)
      IO.write(packages(interpreter) / "tests.pth", packages(python).getPath)
      val into = Seq("--python", interpreter.getPath)
      pip(python, top, (into ++ install ++ Seq("--no-deps", wheel.getPath))*)
    }
    interpreter
  }

  private def packages(python: File): File = {
    val ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    file(Process(Seq(python.getPath, "-c", ask)).!!.trim)
  }

  /** The wheel of a release of Spark. */
  def wheelOf(wheels: File, release: String): File =
    wheels / s"pyspark-$release-py2.py3-none-any.whl"

  /** Spark is published as sources, of which pip makes a wheel. To compress its jars once more would
    * take longer than all the rest.
    */
  private val uncompressed = "--config-settings=--build-option=--compression=stored"

  /** The wheel of a release of Spark, which is made when it is not there. */
  private def wheel(top: File, python: File, release: String, log: Logger): File = {
    val made = wheelOf(top / "target" / "wheelhouse", release)
    if (!made.exists) {
      log.info(s"getting the wheel of Spark $release, which has 450 MB")
      pip(python, top, "wheel", s"pyspark==$release", uncompressed, "-w", made.getParent)
    }
    made
  }

  private def wheels(top: File, python: File, log: Logger): File = {
    val sparks = Versions.spark +: SparkLines.all.flatMap(_.inWheels)
    val made = sparks.map(wheel(top, python, _, log))
    val folder = made.head.getParentFile
    IO.delete((folder * "pyspark-*.whl").get.filterNot(made.contains))
    folder
  }

  val settings: Seq[Setting[?]] = Seq(
    python := environment(baseDirectory.value, streams.value.log),
    sparkWheels := wheels(baseDirectory.value, python.value, streams.value.log),
  )
}
