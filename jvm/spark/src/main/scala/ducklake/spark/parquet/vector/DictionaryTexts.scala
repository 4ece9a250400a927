package ducklake.spark.parquet.vector

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.unsafe.types.UTF8String

/** Texts of a vector whose rows may refer to a dictionary. The first texts of the dictionary become
  * Spark's strings once for each batch; the vector below makes a new string for each row.
  */
final class DictionaryTexts(below: WritableColumnVector)
    extends DerivedVector(below.dataType)
    with VectorOfBatch {

  private val texts = new Array[UTF8String](DictionaryTexts.Kept)
  private var isEncoded = false
  private var mayBeNull = true
  private var indexes = below

  /** All rows of the next batch have the same dictionary. */
  override def start(): Unit = {
    texts.indices.foreach(texts(_) = DictionaryTexts.NotMade)
    isEncoded = below.hasDictionary
    mayBeNull = below.hasNull
    indexes = if (isEncoded) below.getDictionaryIds else below
  }

  override def hasNull: Boolean = below.hasNull
  override def numNulls: Int = below.numNulls
  override def isNullAt(row: Int): Boolean = mayBeNull && below.isNullAt(row)

  override def getUTF8String(row: Int): UTF8String =
    if (!isEncoded || isNullAt(row)) below.getUTF8String(row)
    else {
      val index = indexes.getDictId(row)
      if (index >= DictionaryTexts.Kept) below.getUTF8String(row)
      else {
        if (texts(index) eq DictionaryTexts.NotMade) texts(index) = below.getUTF8String(row)
        texts(index)
      }
    }
}

private object DictionaryTexts {

  /** Stands for a string of the dictionary that no row has requested. */
  val NotMade: UTF8String = UTF8String.fromString("")

  /** The number of strings that are kept. Larger dictionaries would save less, because their
    * strings are seldom reused.
    */
  val Kept = 256
}
