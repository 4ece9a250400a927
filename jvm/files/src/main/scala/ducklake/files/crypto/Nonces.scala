package ducklake.files.crypto

import org.apache.parquet.format.FileMetaData
import org.apache.parquet.format.KeyValue

import java.nio.ByteBuffer
import java.util.Arrays

import scala.jdk.CollectionConverters.ListHasAsScala

/** The way in which the nonces of a file's modules were chosen. */
private[crypto] sealed trait Nonces {

  /** Whether the nonce at `at` of `bytes` may belong to the module at this place in the file. */
  def fits(bytes: Array[Byte], at: Int, position: Long): Boolean
}

private[crypto] object Nonces {
  val Bytes = 12

  /** Any nonces, as DuckDB draws them. */
  case object Drawn extends Nonces {
    override def fits(bytes: Array[Byte], at: Int, position: Long): Boolean = true
  }

  /** Each nonce is the place of its module, so a moved module is noticed, although its tag does not
    * sign the place. Nonces must not repeat under one key. These do not, because each file has its
    * own key.
    */
  case object Places extends Nonces {
    override def fits(bytes: Array[Byte], at: Int, position: Long): Boolean =
      Arrays.equals(bytes, at, at + Bytes, of(position), 0, Bytes)
  }

  // Recorded in the footer, which is authenticated by the key.
  private val FooterKey = "ducklake.spark.nonces"
  private val PlacesValue = "places"

  /** The nonce of the module at this place. */
  def of(position: Long): Array[Byte] =
    ByteBuffer.allocate(Bytes).putLong(Bytes - java.lang.Long.BYTES, position).array

  /** The nonces of the file that has this footer. */
  def in(footer: FileMetaData): Nonces = {
    val said = Option(footer.getKey_value_metadata).toVector.flatMap(_.asScala)
    if (said.contains(new KeyValue(FooterKey).setValue(PlacesValue))) Places else Drawn
  }

  /** Records in the footer that each nonce is a place. */
  def say(footer: FileMetaData): Unit =
    footer.addToKey_value_metadata(new KeyValue(FooterKey).setValue(PlacesValue))
}
