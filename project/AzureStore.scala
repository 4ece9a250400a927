import sbt.*
import sbt.Keys.*

/** Azurite, Azure's store of blobs for tests, and Hadoop's client of Azure, for `verifyAll`. npm has to
  * be there.
  */
object AzureStore {

  val azureStore = taskKey[File]("Azurite and hadoop-azure, in target/azure")

  private val Azure = config("azure").hide

  /** For the root project. */
  val settings: Seq[Setting[?]] = Seq(
    ivyConfigurations += Azure,
    libraryDependencies +=
      ("org.apache.hadoop" % "hadoop-azure" % SparkLines.spark42.store.hadoop % Azure)
        .intransitive(),
    azureStore := {
      val top = target.value / "azure"
      IO.createDirectory(top)
      update.value
        .select(configurationFilter(Azure.name))
        .foreach(jar => IO.copyFile(jar, top / jar.getName))
      if (!(top / "node_modules" / ".bin" / "azurite-blob").exists)
        PythonEnv.run(Seq("npm", "install", "--no-audit", s"azurite@${Versions.azurite}"), top)
      top
    },
  )
}
