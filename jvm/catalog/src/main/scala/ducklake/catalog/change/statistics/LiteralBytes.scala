package ducklake.catalog.change.statistics

import ducklake.catalog.types.Literal

import java.io.DataInputStream
import java.io.DataOutputStream
import java.math.BigDecimal
import java.math.BigInteger
import java.nio.charset.StandardCharsets
import java.util.UUID

import scala.annotation.tailrec
import scala.collection.immutable.ArraySeq

/** A compact encoding of values, in memory and on the way from tasks to the driver. Never stored in
  * a lake.
  */
private[statistics] object LiteralBytes {

  /** Writes the value, if its type can be a bound.
    *
    * @return whether it was written; nothing is written for another value
    */
  def write(value: Literal, out: DataOutputStream): Boolean = value match {
    case Literal.Bool(flag) => tagged(out, 1)(out.writeBoolean(flag))
    case Literal.Integral(number) => tagged(out, 2)(writeNumber(number, out))
    case Literal.BigIntegral(number) => tagged(out, 3)(array(number.toByteArray, out))
    case Literal.Floating(number) =>
      tagged(out, 4)(out.writeLong(java.lang.Double.doubleToRawLongBits(number)))
    case Literal.Dec(number) =>
      tagged(out, 5) {
        out.writeInt(number.scale)
        array(number.unscaledValue.toByteArray, out)
      }
    case Literal.Text(text) => tagged(out, 6)(array(text.getBytes(StandardCharsets.UTF_8), out))
    case Literal.Bytes(bytes) => tagged(out, 7)(array(bytes.toArray, out))
    case Literal.Uuid(id) =>
      tagged(out, 8) {
        out.writeLong(id.getMostSignificantBits)
        out.writeLong(id.getLeastSignificantBits)
      }
    case Literal.Date(days) => tagged(out, 9)(out.writeInt(days))
    case Literal.Time(ticks) => tagged(out, 10)(out.writeLong(ticks))
    case Literal.TimeTz(micros, offset) =>
      tagged(out, 11) {
        out.writeLong(micros)
        out.writeInt(offset)
      }
    case Literal.Timestamp(ticks) => tagged(out, 12)(out.writeLong(ticks))
    case Literal.Null | Literal.Interval(_, _, _) | Literal.Variant(_, _) | Literal.ListValue(_) |
        Literal.StructValue(_) | Literal.MapValue(_) =>
      false
  }

  def read(in: DataInputStream): Literal = in.readByte() match {
    case 1 => Literal.Bool(in.readBoolean())
    case 2 => Literal.Integral(readNumber(in))
    case 3 => Literal.BigIntegral(BigInt(array(in)))
    case 4 => Literal.Floating(java.lang.Double.longBitsToDouble(in.readLong()))
    case 5 =>
      val scale = in.readInt()
      Literal.Dec(new BigDecimal(new BigInteger(array(in)), scale))
    case 6 => Literal.Text(new String(array(in), StandardCharsets.UTF_8))
    case 7 => Literal.Bytes(ArraySeq.unsafeWrapArray(array(in)))
    case 8 => Literal.Uuid(new UUID(in.readLong(), in.readLong()))
    case 9 => Literal.Date(in.readInt())
    case 10 => Literal.Time(in.readLong())
    case 11 => Literal.TimeTz(in.readLong(), in.readInt())
    case 12 => Literal.Timestamp(in.readLong())
    case other => throw new IllegalStateException(s"no value begins with $other")
  }

  /** Writes a number: small ones, also negative ones, take few bytes. */
  def writeNumber(value: Long, out: DataOutputStream): Unit = {
    @tailrec
    def write(rest: Long): Unit =
      if ((rest & ~0x7fL) == 0) out.writeByte(rest.toInt)
      else {
        out.writeByte((rest.toInt & 0x7f) | 0x80)
        write(rest >>> 7)
      }
    write((value << 1) ^ (value >> 63))
  }

  def readNumber(in: DataInputStream): Long = {
    @tailrec
    def read(sum: Long, shift: Int): Long = {
      val next = in.readByte().toLong
      val more = sum | (next & 0x7f) << shift
      if (next < 0) read(more, shift + 7) else more
    }
    val sum = read(0L, 0)
    (sum >>> 1) ^ -(sum & 1)
  }

  private def tagged(out: DataOutputStream, tag: Int)(rest: => Unit): Boolean = {
    out.writeByte(tag)
    rest
    true
  }

  private def array(bytes: Array[Byte], out: DataOutputStream): Unit = {
    writeNumber(bytes.length.toLong, out)
    out.write(bytes)
  }

  private def array(in: DataInputStream): Array[Byte] = in.readNBytes(readNumber(in).toInt)
}
