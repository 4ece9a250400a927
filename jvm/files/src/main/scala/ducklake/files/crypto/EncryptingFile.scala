package ducklake.files.crypto

import ducklake.catalog.model.FileKey
import org.apache.parquet.io.OutputFile
import org.apache.parquet.io.PositionOutputStream

/** A new file of a lake. Parquet's writers write it as a file without encryption; in an encrypted
  * lake it is encrypted on the way (decision 17).
  *
  * @param output the output of the writers, used once
  * @param key the file's own key; None when the lake is not encrypted
  */
final class EncryptingFile private (val output: OutputFile, val key: Option[FileKey])

object EncryptingFile {

  def of(file: OutputFile, isLakeEncrypted: Boolean): EncryptingFile =
    if (!isLakeEncrypted) new EncryptingFile(file, None)
    else {
      val key = SecretKey.next()
      new EncryptingFile(new EncryptedOutput(file, key), Some(key))
    }
}

private final class EncryptedOutput(under: OutputFile, key: FileKey) extends OutputFile {

  override def create(blockSizeHint: Long): PositionOutputStream =
    new EncryptedStream(under.create(blockSizeHint), modules)

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream =
    new EncryptedStream(under.createOrOverwrite(blockSizeHint), modules)

  // A writer that knows the block size would pad blocks with bytes that belong to no page.
  override def supportsBlockSize(): Boolean = false
  override def defaultBlockSize(): Long = 0L

  override def getPath: String = under.getPath

  private def modules: Modules = new Modules(SecretKey.of(key).spec, Nonces.Places)
}
