import sbt.*
import sbt.Def.spaceDelimited
import sbt.Keys.*

import java.io.File.pathSeparator

import scala.sys.process.Process

/** Jazzer, which changes inputs by what parts of the code they reach, over the readers of texts. */
object FuzzTexts {

  val fuzzTexts =
    inputKey[Unit]("Jazzer over the readers of texts of the module `catalog`, for so many seconds")
  val fuzzSparkTexts =
    inputKey[Unit]("Jazzer over the readers of texts of the module `spark`, for so many seconds")

  private def fuzzed(module: ProjectReference, target: String): Def.Initialize[InputTask[Unit]] =
    Def.inputTask {
      val seconds = spaceDelimited("<seconds>").parsed.headOption.getOrElse("60")
      val jazzer = Seq("com.code-intelligence" % "jazzer" % Versions.jazzer)
      val jars = Resolving.jars(dependencyResolution.value, jazzer, streams.value.log)
      val ours = (module / Test / fullClasspath).value.map(_.data)
      val folder = Keys.target.value / "fuzz-texts"
      IO.createDirectory(folder)
      val command = Seq(
        "java",
        "-cp",
        (jars ++ ours).mkString(pathSeparator),
        "com.code_intelligence.jazzer.Jazzer",
        s"--target_class=$target",
        "--instrumentation_includes=ducklake.**",
        s"-max_total_time=$seconds",
        "-max_len=300",
      )
      val code = Process(command, folder).!
      if (code != 0) sys.error(s"a text made a reader throw; it is in $folder")
    }

  /** For the root project. */
  val settings: Seq[Setting[?]] = Seq(
    fuzzTexts := fuzzed(LocalProject("catalog"), "ducklake.catalog.fuzz.CatalogTexts").evaluated,
    fuzzSparkTexts := fuzzed(LocalProject("spark"), "ducklake.spark.fuzz.SparkTexts").evaluated,
  )
}
