package ducklake.spark.types

import org.apache.spark.types.variant.VariantUtil
import org.apache.spark.unsafe.types.UTF8String

/** The texts in a variant: its strings, and the names of its fields. */
object VariantTexts {

  private val lengthBytes = 4

  /** Whether all of them are as the test asks. */
  def areUtf8(value: Array[Byte], metadata: Array[Byte], isValid: UTF8String => Boolean): Boolean =
    names(metadata).forall(isValid) && holds(value, 0, isValid)

  private def holds(value: Array[Byte], at: Int, isValid: UTF8String => Boolean): Boolean =
    SparkVariants.basicType(value, at) match {
      case VariantUtil.OBJECT =>
        SparkVariants.entries(value, at).forall(entry => holds(value, entry._2, isValid))
      case VariantUtil.ARRAY => SparkVariants.elements(value, at).forall(holds(value, _, isValid))
      case VariantUtil.SHORT_STR =>
        isValid(UTF8String.fromBytes(value, at + 1, VariantUtil.getTypeInfo(value, at)))
      case _ if VariantUtil.getTypeInfo(value, at) == VariantUtil.LONG_STR =>
        val length = VariantUtil.readUnsigned(value, at + 1, lengthBytes)
        isValid(UTF8String.fromBytes(value, at + 1 + lengthBytes, length))
      case _ => true
    }

  /** The names stand behind their offsets, of which there is one more than names. */
  private def names(metadata: Array[Byte]): Vector[UTF8String] = {
    val offsetSize = ((metadata(0) >> 6) & 3) + 1
    val count = VariantUtil.readUnsigned(metadata, 1, offsetSize)
    val first = 1 + offsetSize * (count + 2)
    def offset(of: Int): Int =
      VariantUtil.readUnsigned(metadata, 1 + offsetSize * (of + 1), offsetSize)
    Vector.tabulate(count) { name =>
      UTF8String.fromBytes(metadata, first + offset(name), offset(name + 1) - offset(name))
    }
  }
}
