import sbt.*
import sbt.Keys.*
import sbtassembly.AssemblyPlugin.autoImport.*

/** The jar that users of a line put on Spark: our three modules, the pool, and the three JDBC
  * drivers.
  */
object Bundle {

  /** SQLite carries a native library for every platform there is; Spark runs on these. */
  private val sqlitePlatforms = Seq(
    "Linux/x86_64/",
    "Linux/aarch64/",
    "Linux-Musl/x86_64/",
    "Linux-Musl/aarch64/",
    "Mac/x86_64/",
    "Mac/aarch64/",
    "Windows/x86_64/",
  )

  private def isForeignSqlite(path: String): Boolean = {
    val native = "org/sqlite/native/"
    path.startsWith(native) && !sqlitePlatforms.exists(p => path.startsWith(native + p))
  }

  /** Whether a library goes into the jar; Spark has the others. */
  def isBundled(jar: File): Boolean =
    !jar.getName.startsWith("slf4j-") && !jar.getName.startsWith("scala-library")

  private val ingredients = taskKey[String]("What the jar is made of, with the times of the files")
  private val recipe = settingKey[File]("The ingredients of the jar that is there")

  /** Makes the jar when there is none, or when what it is made of has changed, or the build has.
    *
    * The plugin looks into its own cache after it has read all classes and each build of DuckDB's
    * library, which is nearly all the work; `verify` asks for the three jars four times.
    */
  private val onlyAfterChanges: Seq[Setting[?]] = Seq(
    ingredients := {
      val top = (LocalRootProject / baseDirectory).value
      val build = (top +++ top / "project") * ("*.sbt" || "*.scala")
      val jars = (assembly / fullClasspath).value.map(_.data).filter(isBundled)
      val files = (jars.flatMap(_.allPaths.get) ++ build.get).distinct
      files.map(file => s"$file ${IO.getModifiedTimeOrZero(file)}").sorted.mkString("\n")
    },
    recipe := target.value / "recipe.txt",
    assembly := Def.taskIf {
      if (
        (assembly / assemblyOutputPath).value.exists && recipe.value.exists &&
        IO.read(recipe.value) == ingredients.value
      ) (assembly / assemblyOutputPath).value
      else {
        val made = assembly.value
        IO.write(recipe.value, ingredients.value)
        made
      }
    }.value,
  )

  def settings(line: SparkLine): Seq[Setting[?]] = Seq(
    name := line.artifact,
    moduleName := line.artifact, // sbt would make a dash of the dot
    libraryDependencies ++= Seq(
      "org.xerial" % "sqlite-jdbc" % Versions.sqliteJdbc,
      "org.postgresql" % "postgresql" % Versions.postgresJdbc,
      "org.duckdb" % "duckdb_jdbc" % Versions.duckdbJdbc,
    ),
    assembly / assemblyJarName := s"${line.jar}-${version.value}.jar",
    assembly / test := {},
    assemblyPackageScala / assembleArtifact := false,
    assembly / assemblyShadeRules := Seq(
      ShadeRule.rename("org.apache.commons.pool2.**" -> "ducklake.shaded.pool2.@1").inAll,
      ShadeRule.rename("org.postgresql.**" -> "ducklake.shaded.postgresql.@1").inAll,
    ),
    assembly / assemblyExcludedJars :=
      (assembly / fullClasspath).value.filterNot(jar => isBundled(jar.data)),
    assembly / assemblyMergeStrategy := {
      case path if isForeignSqlite(path) => MergeStrategy.discard
      case path if path.startsWith("libduckdb_java") => MergeStrategy.discard
      case path if path.endsWith("module-info.class") => MergeStrategy.discard
      case PathList("META-INF", "services", _*) => MergeStrategy.concat
      case path if path.startsWith(Sbom.inJars) => MergeStrategy.singleOrError
      case PathList("META-INF", _*) => MergeStrategy.discard
      case _ => MergeStrategy.first
    },
  ) ++ onlyAfterChanges
}
