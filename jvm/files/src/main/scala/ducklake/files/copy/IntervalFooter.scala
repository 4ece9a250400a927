package ducklake.files.copy

import org.apache.parquet.format.ConvertedType
import org.apache.parquet.format.Util
import org.apache.parquet.io.OutputFile
import org.apache.parquet.io.PositionOutputStream
import org.apache.parquet.schema.LogicalTypeAnnotation.IntervalLogicalTypeAnnotation
import org.apache.parquet.schema.MessageType

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder

import scala.jdk.CollectionConverters.ListHasAsScala

/** The output of a file with intervals. Parquet's library describes an interval column as always
  * NULL, so the description is corrected before the footer is written.
  */
private[copy] final class IntervalFooter(under: OutputFile) extends OutputFile {

  // Set when Parquet's writer opens the file.
  private var stream: Option[HeldStream] = None

  /** Later bytes are kept in memory until the file is closed. */
  def hold(): Unit = stream.foreach(_.hold())

  override def create(blockSizeHint: Long): PositionOutputStream = {
    val opened = new HeldStream(under.create(blockSizeHint))
    stream = Some(opened)
    opened
  }

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream = create(blockSizeHint)
  override def supportsBlockSize(): Boolean = under.supportsBlockSize()
  override def defaultBlockSize(): Long = under.defaultBlockSize()
  override def getPath: String = under.getPath
}

private[copy] object IntervalFooter {

  def isNeededFor(message: MessageType): Boolean =
    message.getColumns.asScala.exists {
      _.getPrimitiveType.getLogicalTypeAnnotation match {
        case _: IntervalLogicalTypeAnnotation => true
        case _ => false
      }
    }

  /** The size of the footer and four letters. */
  private val TailBytes = 8

  /** The end of a file, from some place before the footer on, with a correct footer. */
  def corrected(end: Array[Byte]): Array[Byte] = {
    val tail =
      ByteBuffer.wrap(end, end.length - TailBytes, TailBytes).order(ByteOrder.LITTLE_ENDIAN)
    val size = tail.getInt
    val before = end.length - TailBytes - size
    val footer = Util.readFileMetaData(new ByteArrayInputStream(end, before, size))
    footer.getSchema.forEach { node =>
      if (node.getConverted_type == ConvertedType.INTERVAL) node.unsetLogicalType()
    }
    val all = new ByteArrayOutputStream(end.length)
    all.write(end, 0, before)
    Util.writeFileMetaData(footer, all)
    val length = ByteBuffer.allocate(TailBytes / 2).order(ByteOrder.LITTLE_ENDIAN)
    all.write(length.putInt(all.size - before).array())
    all.write(end, end.length - TailBytes / 2, TailBytes / 2)
    all.toByteArray
  }
}

private final class HeldStream(under: PositionOutputStream) extends PositionOutputStream {

  private var held: Option[ByteArrayOutputStream] = None

  def hold(): Unit = held = Some(new ByteArrayOutputStream)

  override def getPos: Long = under.getPos + held.fold(0L)(_.size.toLong)

  override def write(byte: Int): Unit = held.fold(under.write(byte))(_.write(byte))

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit =
    held.fold(under.write(bytes, offset, length))(_.write(bytes, offset, length))

  override def flush(): Unit = if (held.isEmpty) under.flush()

  override def close(): Unit =
    try held.foreach(end => under.write(IntervalFooter.corrected(end.toByteArray)))
    finally under.close()
}
