package ducklake.spark.moving.out.iceberg

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.SnapshotId
import ducklake.files.io.FileFailure
import ducklake.files.io.PublishedFile
import ducklake.files.path.PathResolver
import ducklake.spark.errors.SparkErrors
import ducklake.spark.moving.ExportMark
import ducklake.spark.moving.out.NewestVersion
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.iceberg.TableMetadata
import org.apache.iceberg.TableMetadataParser

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.jdk.CollectionConverters.IterableHasAsScala
import scala.util.Using

/** The newest metadata of an exported table.
  *
  * @param version 0 for none
  */
private[iceberg] final case class IcebergState(version: Int, metadata: Option[TableMetadata]) {
  def format: Option[IcebergFormat] =
    metadata.flatMap(known => IcebergFormat.of(known.formatVersion.toLong))

  def newest: NewestVersion = {
    val shown = metadata.flatMap(known => Option(known.currentSnapshot))
    val snapshot = shown.map(one => SnapshotId(one.summary.get(ExportMark.Summary).toLong))
    NewestVersion(version.toLong, snapshot)
  }
}

/** The folder of a table of Iceberg: metadata files with numbers, and a hint to the newest. Only
  * exports write there.
  *
  * @param folder in DuckDB's spelling, with a separator at its end
  * @param table of the lake
  *
  * Source: Iceberg's specification, "File System Tables".
  */
private[iceberg] final class IcebergFolder(
    folder: String,
    table: UUID,
    name: String,
    conf: Configuration,
) {

  val files: IcebergFiles = new IcebergFiles(name, conf)
  private val place = s"${folder}metadata"

  /** Errors: InvalidArgument when the folder has another table, or versions of other writers;
    * UnreadableFile.
    */
  def read(): IcebergState = {
    val found = listed()
    found
      .filter(IcebergFolder.number(_).isEmpty)
      .find(_.endsWith(".metadata.json"))
      .foreach(file => refuse(s"of another writer: it has `$file`"))
    newest(found) match {
      case None => IcebergState(0, None)
      case Some(version) =>
        val file = s"$place/${IcebergFolder.file(version)}"
        val metadata = FileFailure.naming(file, name) {
          TableMetadataParser.read(files.newInputFile(file))
        }
        check(metadata)
        IcebergState(version, Some(metadata))
    }
  }

  private def check(metadata: TableMetadata): Unit = {
    if (metadata.uuid != table.toString) refuse(s"which is not an export of $name")
    metadata.snapshots.asScala
      .find(each => !each.summary.containsKey(ExportMark.Summary))
      .foreach(each => refuse(s"whose snapshot ${each.snapshotId} no export of $name wrote"))
  }

  /** Writes the next metadata file. Errors: InvalidArgument when another export has written it;
    * UnwritableFile.
    */
  def write(version: Int, metadata: TableMetadata): Unit = {
    val target = PathResolver.hadoopPath(s"$place/${IcebergFolder.file(version)}")
    val text = TableMetadataParser.toJson(metadata).getBytes(UTF_8)
    if (!PublishedFile.create(target, name, Iterator(text), conf))
      refuse(s"whose version $version another export wrote meanwhile; call again")
    hint()
  }

  /** Makes the hint name the newest version, which another export may have written. Readers go on
    * from the hint to later versions, but not all of them.
    *
    * Errors: UnreadableFile for the folder, UnwritableFile.
    */
  def hint(): Unit = {
    val wanted = newest(listed()).map(_.toString)
    wanted.filterNot(hinted.map(_.trim).contains).foreach { text =>
      val target = PathResolver.hadoopPath(s"$place/${IcebergFolder.Hint}")
      PublishedFile.replace(target, name, text.getBytes(UTF_8), conf)
    }
  }

  /** A hint that cannot be read is written again, and that says what is wrong. */
  private def hinted: Option[String] = {
    val file = s"$place/${IcebergFolder.Hint}"
    try
      FileFailure.naming(file, name) {
        Option(files.newInputFile(file)).filter(_.exists).map { input =>
          Using.resource(input.newStream())(in => new String(in.readAllBytes(), UTF_8))
        }
      }
    catch { case _: LakeException => None }
  }

  private def newest(files: Vector[String]): Option[Int] =
    files.flatMap(IcebergFolder.number).maxOption

  private def listed(): Vector[String] =
    FileFailure.naming(place, name) {
      val path = new Path(PathResolver.hadoopPath(place))
      val system = path.getFileSystem(conf)
      if (system.exists(path)) system.listStatus(path).toVector.map(_.getPath.getName)
      else Vector.empty
    }

  private def refuse(why: String): Nothing =
    SparkErrors.raise(
      LakeError.InvalidArgument("export_iceberg", "path", s"has a table $why: `$folder`")
    )
}

private[iceberg] object IcebergFolder {

  private val Hint = "version-hint.text"

  private def file(version: Int): String = s"v$version.metadata.json"

  private def number(file: String): Option[Int] = file match {
    case numbered(digits) => digits.toIntOption
    case _ => None
  }

  private val numbered = """v(\d+)\.metadata\.json""".r
}
