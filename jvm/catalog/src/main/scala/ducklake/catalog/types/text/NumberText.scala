package ducklake.catalog.types.text

import java.math.MathContext
import java.math.RoundingMode
import java.util.Locale

/** Prints and parses integers, decimals and floats as DuckDB does.
  *
  * Source: DuckDB 1.5.5, observed.
  */
private[types] object NumberText {

  /** The whole number of a text, which may have an exponent such as `1e3`. A fraction is rounded
    * half away from zero.
    */
  def castInteger(text: String): Option[BigInt] = {
    val digits = text.trim.stripPrefix("+")
    if (integerPattern.matches(digits)) Some(BigInt(digits))
    else decimalOf(text).map(value => BigInt(value.setScale(0, RoundingMode.HALF_UP).toBigInteger))
  }

  /** The whole number of a text of digits. */
  def exactInteger(text: String): Option[BigInt] =
    Option.when(integerPattern.matches(text))(BigInt(text))

  /** The decimal of a text with this scale, rounded half away from zero. None when it does not fit.
    */
  def castDecimal(text: String, precision: Int, scale: Int): Option[java.math.BigDecimal] =
    decimalOf(text)
      .map(_.setScale(scale, RoundingMode.HALF_UP))
      .filter(_.precision <= precision)

  /** The decimal of a text with this scale. None when digits would be lost or it does not fit. */
  def exactDecimal(text: String, precision: Int, scale: Int): Option[java.math.BigDecimal] =
    castDecimal(text, precision, scale).filter { rounded =>
      decimalOf(text).exists(_.compareTo(rounded) == 0)
    }

  def float64(text: String): Option[Double] =
    text.trim.toLowerCase(Locale.ROOT).stripPrefix("+") match {
      case "nan" | "-nan" => Some(Double.NaN)
      case "inf" | "infinity" => Some(Double.PositiveInfinity)
      case "-inf" | "-infinity" => Some(Double.NegativeInfinity)
      case number if isNumber(number) => Some(number.toDouble)
      case _ => None
    }

  def float32(text: String): Option[Double] =
    text.trim.stripPrefix("+") match {
      case number if isNumber(number) => Some(number.toFloat.toDouble)
      case _ => float64(text)
    }

  /** DuckDB's text of a double: the fewest digits that read back the same. */
  def printFloat64(value: Double): String =
    printFloat(value, 17, rounded => rounded.doubleValue == value)

  /** DuckDB's text of a single precision float that was widened to a double. */
  def printFloat32(value: Double): String =
    printFloat(value, 9, rounded => rounded.floatValue == value.toFloat)

  /** DuckDB's text of a decimal. A DECIMAL without integer digits is written without the zero:
    * `.50`.
    */
  def printDecimal(value: java.math.BigDecimal, precision: Int, scale: Int): String = {
    val plain = value.toPlainString
    if (precision > scale) plain else plain.replaceFirst("^(-?)0\\.", "$1.")
  }

  private val integerPattern = """-?\d{1,39}""".r
  private val numberPattern = """[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?""".r

  private def isNumber(text: String): Boolean = isPlain(text) || numberPattern.matches(text)

  /** Whether the text has only digits and at most one point after the first digit, as most numbers
    * have. This check avoids the pattern, which takes longer than parsing the number.
    */
  private def isPlain(text: String): Boolean = {
    val digits = text.stripPrefix("-")
    val point = digits.indexOf('.'.toInt)
    point != 0 && digits.nonEmpty &&
    digits.indices.forall(at => at == point || isDigit(digits.charAt(at)))
  }

  private def isDigit(char: Char): Boolean = char >= '0' && char <= '9'

  private def decimalOf(text: String): Option[java.math.BigDecimal] =
    Option.when(numberPattern.matches(text.trim))(new java.math.BigDecimal(text.trim))

  private def printFloat(
      value: Double,
      maxDigits: Int,
      readsBack: java.math.BigDecimal => Boolean,
  ): String =
    if (value.isNaN) "nan"
    else if (value.isInfinite) if (value > 0) "inf" else "-inf"
    else if (value == 0) if (1 / value < 0) "-0.0" else "0.0"
    else {
      val exact = new java.math.BigDecimal(value)
      val shortest = (1 until maxDigits).iterator
        .map(digits => exact.round(new MathContext(digits, RoundingMode.HALF_EVEN)))
        .find(readsBack)
        .getOrElse(exact.round(new MathContext(maxDigits, RoundingMode.HALF_EVEN)))
      layOut(shortest.stripTrailingZeros)
    }

  private def layOut(value: java.math.BigDecimal): String = {
    val exponent = value.precision - value.scale - 1
    if (exponent >= -4 && exponent < 16)
      if (value.scale > 0) value.toPlainString else value.toPlainString + ".0"
    else {
      val digits = value.unscaledValue.abs.toString
      val mantissa = if (digits.length == 1) digits else s"${digits.take(1)}.${digits.drop(1)}"
      val sign = if (value.signum < 0) "-" else ""
      val exponentSign = if (exponent < 0) "-" else "+"
      f"$sign$mantissa%se$exponentSign%s${Math.abs(exponent)}%02d"
    }
  }
}
