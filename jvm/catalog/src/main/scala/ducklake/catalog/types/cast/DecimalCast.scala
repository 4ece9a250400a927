package ducklake.catalog.types.cast

import java.math.BigInteger

/** Casts decimals of a type to floats with the same result as DuckDB: by one division where the
  * digits fit into the float, else with whole part and fraction apart. The result is not always the
  * nearest float.
  *
  * Source: DuckDB 1.5.5, observed.
  */
final class DecimalCast(precision: Int, scale: Int) {
  import DecimalCast.*

  private val divisor = BigInteger.TEN.pow(scale)
  private val doubleDivisor = divisor.doubleValue
  private val floatDivisor = divisor.floatValue
  private val isWide = precision > longDigits

  /** @param digits the decimal's unscaled value */
  def toDouble(digits: BigInteger): Double =
    if (digits.abs.compareTo(doubleLimit) <= 0) ofWhole(digits) / doubleDivisor
    else {
      val parts = digits.divideAndRemainder(divisor)
      ofWhole(parts(0)) + ofWhole(parts(1)) / doubleDivisor
    }

  /** Calculates in single precision throughout, because going through double gives other results.
    *
    * @param digits the decimal's unscaled value
    */
  def toFloat(digits: BigInteger): Float =
    if (digits.abs.compareTo(floatLimit) <= 0) digits.floatValue / floatDivisor
    else {
      val parts = digits.divideAndRemainder(divisor)
      parts(0).floatValue + parts(1).floatValue / floatDivisor
    }

  private def ofWhole(digits: BigInteger): Double =
    if (isWide) ofWords(digits) else digits.doubleValue
}

private object DecimalCast {
  private val longDigits = 18
  private val doubleLimit = BigInteger.ONE.shiftLeft(53)
  private val floatLimit = BigInteger.ONE.shiftLeft(24)
  private val wordBits = 64
  private val wordSize = Math.scalb(1.0, wordBits)

  /** Casts an integer of 128 bits. Its two words are rounded separately, as in DuckDB. */
  private def ofWords(value: BigInteger): Double = {
    val low = value.longValue
    val high = value.shiftRight(wordBits).longValue
    if (high == -1L) -unsigned(~low) - 1.0 else unsigned(low) + high.toDouble * wordSize
  }

  private def unsigned(word: Long): Double =
    new BigInteger(java.lang.Long.toUnsignedString(word)).doubleValue
}
