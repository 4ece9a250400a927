package ducklake.files.crypto

import org.apache.parquet.format.PageHeader
import org.apache.parquet.format.Util

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream

/** The header of a decrypted page, padded so that the page has the same number of bytes as before
  * decryption. So all pages keep their places, and the places and lengths in the footer and the
  * indexes stay true.
  *
  * The header is filled up with a field of bytes that no reader knows. Readers skip such fields.
  *
  * Source: Parquet format, PageHeader; Thrift, compact protocol.
  */
private[crypto] object DecryptedPage {

  /** The type of a field of bytes whose id follows. */
  private val BytesField: Byte = 0x08

  /** The field id 8191 as the protocol writes it. */
  private val FieldId = Array[Byte](0xfe.toByte, 0x7f.toByte)

  /** The length of the filling always takes three bytes: seven bits each, the least first. */
  private val LengthBytes = 3
  private val LengthBits = 7

  /** The end of a structure. */
  private val Stop: Byte = 0

  private val FieldBytes = 1 + FieldId.length + LengthBytes + 1

  /** @param header the original header of the encrypted page
    * @param dataBytes of the decrypted page that follows it
    * @param size of the new header
    *
    * Errors: EncryptionFailure.
    */
  def header(header: Array[Byte], dataBytes: Int, size: Int): Array[Byte] = {
    val page: PageHeader = Util.readPageHeader(new ByteArrayInputStream(header))
    // Modules of DuckDB's files do not record their places, but data of another size is noticed.
    if (page.getCompressed_page_size != dataBytes) throw EncryptionFailure.changed("a page")
    // The checksum would be the checksum of encrypted bytes, which the tag already protects.
    page.unsetCrc()
    val out = new ByteArrayOutputStream(size)
    Util.writePageHeader(page, out)
    val filling = size - (out.size - 1) - FieldBytes
    if (filling < 0 || filling >> (LengthBytes * LengthBits) != 0)
      throw new EncryptionFailure.Unsupported("a header of a page has an unknown form")
    val filled = java.util.Arrays.copyOf(out.toByteArray, size)
    write(filled, out.size - 1, filling)
    filled
  }

  /** Writes the filling, instead of the end of the structure, which then follows. */
  private def write(to: Array[Byte], at: Int, filling: Int): Unit = {
    to(at) = BytesField
    FieldId.copyToArray(to, at + 1): Unit
    val length = at + 1 + FieldId.length
    (0 until LengthBytes).foreach { index =>
      val more = if (index < LengthBytes - 1) 0x80 else 0
      to(length + index) = ((filling >> (index * LengthBits)) & 0x7f | more).toByte
    }
    to(to.length - 1) = Stop
  }
}
