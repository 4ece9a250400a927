package ducklake.spark.moving.iceberg

import ducklake.catalog.error.LakeError
import ducklake.files.io.FileFailure
import ducklake.files.path.PathResolver
import ducklake.spark.errors.SparkErrors
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.iceberg.BaseTable
import org.apache.iceberg.StaticTableOperations
import org.apache.iceberg.hadoop.HadoopInputFile
import org.apache.iceberg.io.FileIO
import org.apache.iceberg.io.InputFile
import org.apache.iceberg.io.OutputFile

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

/** Finds and opens the metadata of a table of Iceberg. */
private[iceberg] final class IcebergMetadata(conf: Configuration) {

  /** @param source a metadata file, or the folder of a table
    *
    * Errors: InvalidArgument when there is no metadata; the errors of [[FileFailure.naming]].
    */
  def open(source: String, table: String): BaseTable = {
    val file = if (IcebergMetadata.isFile(source)) source else newest(source, table)
    FileFailure.naming(file, table) {
      new BaseTable(new StaticTableOperations(file, new MetadataFiles(table, conf)), source)
    }
  }

  /** The metadata file of a folder: the file that `version-hint.text` names, or else the file with
    * the greatest number.
    */
  private def newest(folder: String, table: String): String = {
    val metadata = s"${folder.stripSuffix("/")}/metadata"
    val found = FileFailure.naming(metadata, table) {
      val path = new Path(PathResolver.hadoopPath(metadata))
      val system = path.getFileSystem(conf)
      if (!system.exists(path)) Vector.empty
      else system.listStatus(path).toVector.map(_.getPath)
    }
    val numbered = found.flatMap { path =>
      IcebergMetadata.number(path.getName).map(number => (number, path.getName))
    }
    val hint = found.find(_.getName == "version-hint.text").flatMap(hinted)
    val chosen = hint.flatMap(number => numbered.filter(_._1 == number).maxOption)
    chosen.orElse(numbered.maxOption) match {
      case Some((_, name)) => s"$metadata/$name"
      case None =>
        SparkErrors.raise(
          LakeError.InvalidArgument(
            "migrate_from_iceberg",
            "source",
            s"is no metadata file, and there is none in `$metadata`",
          )
        )
    }
  }

  private def hinted(path: Path): Option[Long] =
    Using.resource(path.getFileSystem(conf).open(path)) { stream =>
      new String(stream.readAllBytes(), UTF_8).trim.toLongOption
    }
}

private[iceberg] object IcebergMetadata {

  private def isFile(source: String): Boolean = source.endsWith(".metadata.json")

  /** Catalogs name the files `00003-<uuid>.metadata.json`, tables of a folder `v3.metadata.json`. */
  private def number(name: String): Option[Long] = name match {
    case numbered(digits) => digits.toLongOption
    case _ => None
  }

  private val numbered = """v?(\d+)(?:-.*)?(?:\.gz)?\.metadata\.json(?:\.gz)?""".r
}

/** Opens files by their names in metadata, with the file systems of the session. */
private[iceberg] class SourceFiles(conf: Configuration) extends FileIO {

  override def newInputFile(path: String): InputFile =
    HadoopInputFile.fromLocation(PathResolver.hadoopPath(path), conf)

  override def newOutputFile(path: String): OutputFile = readOnly(path)

  override def deleteFile(path: String): Unit = readOnly(path)

  private def readOnly(path: String): Nothing =
    throw new UnsupportedOperationException(s"the source of a move is only read: $path")
}

/** The same for files of metadata, which errors name.
  *
  * @param table for messages
  */
private final class MetadataFiles(table: String, conf: Configuration) extends SourceFiles(conf) {

  override def newInputFile(path: String): InputFile = {
    val file = super.newInputFile(path)
    new NamedInput(file.location, table, file)
  }
}
