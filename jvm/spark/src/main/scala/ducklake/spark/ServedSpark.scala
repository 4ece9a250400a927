package ducklake.spark

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.metadata.BuildVersion
import org.apache.spark.SPARK_VERSION

/** Whether this jar is the one for the Spark that runs. Each class that Spark makes by its name asks
  * before it does anything else, because another Spark lacks classes that the jar needs.
  */
private[spark] object ServedSpark {

  /** Errors: WrongSpark. */
  def check(): Unit = refusal(SPARK_VERSION).foreach(SparkErrors.raise)

  /** Why this jar is not for a release of Spark, such as `4.1.4`; None when it is. */
  def refusal(release: String): Option[LakeError] = {
    val running = release.split("[.-]").take(2).mkString(".")
    if (BuildVersion.sparks.contains(running)) None
    else Some(LakeError.WrongSpark(listed(BuildVersion.sparks), release, hint(running)))
  }

  private def hint(running: String): String =
    BuildVersion.artifacts
      .collectFirst { case (`running`, artifact) => s"Use $artifact." }
      .getOrElse(s"There are jars for Spark ${listed(BuildVersion.artifacts.map(_._1))}.")

  private def listed(versions: Vector[String]): String = versions match {
    case Vector(one) => one
    case several => several.init.mkString(", ") + " and " + several.last
  }
}
