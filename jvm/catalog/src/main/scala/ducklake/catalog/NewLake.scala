package ducklake.catalog

import ducklake.catalog.commit.LakeCreation
import ducklake.catalog.commit.migration.LakeVersions
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.model.LakePath
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionRules
import ducklake.catalog.option.OptionScope
import ducklake.catalog.path.DataPaths
import ducklake.catalog.path.LocalPath
import ducklake.catalog.read.snapshot.CatalogHead

import java.nio.file.Path

/** The lake that the settings describe, while the database holds none. The first commit creates the
  * lake, so that a statement that fails before its commit leaves nothing behind.
  */
private[catalog] final class NewLake(
    settings: LakeSettings,
    database: Database,
    dataPaths: DataPaths,
) {

  private val isEncrypted: Boolean = settings.encryption.contains(true)

  private val wantedDataPath: String = settings.dataPath.getOrElse(defaultDataPath)

  /** The folder of its files; empty when the settings do not name it. */
  def dataPath: String =
    if (wantedDataPath.isEmpty) "" else LakePath.folder(resolved(wantedDataPath))

  /** The options of the new lake that matter to writes before the lake exists. */
  def options: Vector[LakeOption] =
    if (isEncrypted) Vector(LakeOption(OptionRules.Encrypted, "true", OptionScope.Global))
    else Vector.empty

  /** Its first snapshot, as the base of a commit. Errors: InvalidSetting when the settings name no
    * data path; Unsupported for a version that is not written.
    */
  def snapshot(): LakeSnapshot = {
    LakeVersions.checkWritable(settings.version)
    LakeSnapshot.ofNewLake(settings.version, isEncrypted, pathInForce, database.dialect)
  }

  /** Creates the lake. Does nothing when another session created it first. */
  def create(): Unit =
    new LakeCreation(database, settings.version).create(storedDataPath, isEncrypted)

  /** Whether the lake with this snapshot is the lake that the statement expects to commit to. */
  def isAsExpected(made: CatalogHead): Boolean =
    made.version == settings.version && made.isEncrypted == isEncrypted &&
      made.dataPath == pathInForce

  private def pathInForce: String = dataPaths.inForce(LakePath.folder(storedDataPath)).path

  private def storedDataPath: String = {
    if (wantedDataPath.isEmpty)
      throw new LakeException(
        LakeError.InvalidSetting(
          "data-path",
          "is missing, and the lake has to be created",
          "Say where the new lake is to keep its files.",
        )
      )
    resolved(wantedDataPath)
  }

  private def resolved(path: String): String = {
    val plain = LocalPath.plain(path)
    if (plain.contains("://")) plain else Path.of(plain).toAbsolutePath.normalize.toString
  }

  /** The folder of a new lake's files when the settings name no path.
    *
    * Source: jvm/docs/configuration.md.
    */
  private def defaultDataPath: String = settings.uri match {
    case CatalogUri.Sqlite(path) => s"$path.files/"
    case CatalogUri.DuckDb(path) => s"$path.files/"
    case _: CatalogUri.Postgres | _: CatalogUri.Web => ""
  }
}
