package ducklake.spark.moving.iceberg

import ducklake.files.io.FileFailure
import org.apache.iceberg.io.InputFile
import org.apache.iceberg.io.SeekableInputStream

/** A file of metadata. A failure to open it names it.
  *
  * @param location as metadata has it
  * @param table for messages
  */
private[moving] final class NamedInput(val location: String, table: String, file: InputFile)
    extends InputFile {

  override def getLength: Long = named(file.getLength)

  override def newStream(): SeekableInputStream = named(file.newStream())

  override def exists(): Boolean = named(file.exists())

  /** Errors: those of [[FileFailure.naming]]. */
  private def named[A](body: => A): A = FileFailure.naming(location, table)(body)
}
