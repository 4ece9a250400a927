package ducklake.spark.moving.out.iceberg

import ducklake.files.path.PathResolver
import ducklake.spark.moving.iceberg.NamedInput
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.iceberg.hadoop.HadoopInputFile
import org.apache.iceberg.hadoop.HadoopOutputFile
import org.apache.iceberg.io.FileIO
import org.apache.iceberg.io.InputFile
import org.apache.iceberg.io.OutputFile
import org.apache.iceberg.io.PositionOutputStream

/** Reads and writes files of metadata by the session's file systems. Metadata has the paths in
  * DuckDB's spelling, which other readers know, too.
  *
  * @param table for messages
  */
private[iceberg] final class IcebergFiles(table: String, conf: Configuration) extends FileIO {

  override def newInputFile(path: String): InputFile =
    new NamedInput(path, table, HadoopInputFile.fromLocation(PathResolver.hadoopPath(path), conf))

  override def newOutputFile(path: String): OutputFile =
    new NamedOutput(path, HadoopOutputFile.fromLocation(PathResolver.hadoopPath(path), conf), this)

  override def deleteFile(path: String): Unit = {
    val target = new Path(PathResolver.hadoopPath(path))
    target.getFileSystem(conf).delete(target, false): Unit
  }
}

private final class NamedOutput(path: String, file: OutputFile, files: IcebergFiles)
    extends OutputFile {
  override def create(): PositionOutputStream = file.create()
  override def createOrOverwrite(): PositionOutputStream = file.createOrOverwrite()
  override def location(): String = path
  override def toInputFile: InputFile = files.newInputFile(path)
}
