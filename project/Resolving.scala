import sbt.*
import sbt.librarymanagement.DependencyResolution
import sbt.librarymanagement.UnresolvedWarningConfiguration
import sbt.librarymanagement.UpdateConfiguration

/** Jars from Maven Central that belong to no module of the build, fetched when a task needs them. */
object Resolving {

  /** The jars of these artifacts, and those that they need. */
  def jars(resolution: DependencyResolution, artifacts: Seq[ModuleID], log: Logger): Seq[File] = {
    val described = resolution.moduleDescriptor(
      "io.github.ducklake-spark" % "resolved" % "0",
      artifacts.toVector,
      None,
    )
    resolution
      .update(described, UpdateConfiguration(), UnresolvedWarningConfiguration(), log)
      .fold(missing => throw missing.resolveException, identity)
      .allFiles
      .filter(_.getName.endsWith(".jar"))
      .distinct
  }
}
