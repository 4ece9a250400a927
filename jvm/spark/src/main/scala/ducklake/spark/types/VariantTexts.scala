package ducklake.spark.types

import org.apache.spark.types.variant.VariantUtil
import org.apache.spark.unsafe.types.UTF8String

/** The texts in a variant: strings and names of fields. */
object VariantTexts {

  private val lengthBytes = 4

  /** Whether `isValid` is true for all texts of the variant. */
  def areUtf8(value: Array[Byte], metadata: Array[Byte], isValid: UTF8String => Boolean): Boolean =
    names(metadata).forall(isValid) && areStringsValid(value, 0, isValid)

  private def areStringsValid(
      value: Array[Byte],
      at: Int,
      isValid: UTF8String => Boolean,
  ): Boolean =
    SparkVariants.basicType(value, at) match {
      case VariantUtil.OBJECT =>
        SparkVariants.entries(value, at).forall(entry => areStringsValid(value, entry._2, isValid))
      case VariantUtil.ARRAY =>
        SparkVariants.elements(value, at).forall(areStringsValid(value, _, isValid))
      case VariantUtil.SHORT_STR =>
        isValid(UTF8String.fromBytes(value, at + 1, VariantUtil.getTypeInfo(value, at)))
      case _ if VariantUtil.getTypeInfo(value, at) == VariantUtil.LONG_STR =>
        val length = SparkVariants.unsigned(value, at + 1, lengthBytes)
        isValid(UTF8String.fromBytes(value, at + 1 + lengthBytes, length))
      case _ => true
    }

  /** Reads the field names from the metadata. The offsets of the names are before the names, and
    * there is one offset more than names.
    */
  private def names(metadata: Array[Byte]): Vector[UTF8String] = {
    val offsetSize = ((metadata(0) >> 6) & 3) + 1
    val count = SparkVariants.unsigned(metadata, 1, offsetSize)
    val first = 1 + offsetSize * (count + 2)
    def offset(of: Int): Int =
      SparkVariants.unsigned(metadata, 1 + offsetSize * (of + 1), offsetSize)
    Vector.tabulate(count) { name =>
      UTF8String.fromBytes(metadata, first + offset(name), offset(name + 1) - offset(name))
    }
  }
}
