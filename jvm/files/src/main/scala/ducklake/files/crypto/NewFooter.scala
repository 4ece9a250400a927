package ducklake.files.crypto

import org.apache.parquet.format.AesGcmV1
import org.apache.parquet.format.EncryptionAlgorithm
import org.apache.parquet.format.FileCryptoMetaData
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.format.RowGroup
import org.apache.parquet.format.Util

import java.io.ByteArrayOutputStream

import scala.collection.mutable.LongMap

/** Where pages begin in a file without encryption, and where in the encrypted file. */
private[crypto] final class PagePlaces {

  private val known = LongMap.empty[Long]

  /** The place where the last page ends is added too. */
  def add(plain: Long, encrypted: Long): Unit = known.update(plain, encrypted)

  def of(plain: Long): Long =
    known.getOrElse(plain, throw new IllegalStateException(s"no page begins at byte $plain"))
}

/** The footer of a new encrypted file. */
private[crypto] object NewFooter {

  /** The end of the file.
    *
    * @param footer of the file without encryption; it is changed
    * @param position where the footer begins
    *
    * Source: DuckDB 1.5.5, observed: no AAD, and nothing about the encryption of columns.
    */
  def of(
      footer: FileMetaData,
      places: PagePlaces,
      modules: Modules,
      position: Long,
  ): Array[Byte] = {
    footer.getRow_groups.forEach(move(_, places))
    Nonces.say(footer)
    val plain = new ByteArrayOutputStream
    Util.writeFileMetaData(footer, plain)
    val out = new ByteArrayOutputStream(plain.size)
    val algorithm = EncryptionAlgorithm.AES_GCM_V1(new AesGcmV1)
    Util.writeFileCryptoMetaData(new FileCryptoMetaData(algorithm), out)
    out.write(modules.sealOf(plain.toByteArray, 0, plain.size, position + out.size))
    out.write(ParquetTail.after(out.size, ParquetTail.EncryptedLetters))
    out.toByteArray
  }

  private def move(group: RowGroup, places: PagePlaces): Unit = {
    val first = places.of(ParquetTail.firstPage(group.getColumns.get(0).getMeta_data))
    var total = 0L
    group.getColumns.forEach { chunk =>
      val data = chunk.getMeta_data
      val start = ParquetTail.firstPage(data)
      val bytes = places.of(start + data.getTotal_compressed_size) - places.of(start)
      data.setTotal_compressed_size(bytes)
      if (start < data.getData_page_offset) data.setDictionary_page_offset(places.of(start))
      data.setData_page_offset(places.of(data.getData_page_offset))
      chunk.setFile_offset(0L)
      ParquetTail.dropIndexes(chunk)
      total += bytes
    }
    group.setFile_offset(first)
    group.setTotal_compressed_size(total): Unit
  }
}
