/** Scala source with comments and string contents blanked out, line for line, so that checks look
  * at code only. Expressions inside interpolated strings are code and stay.
  */
object ScalaText {

  def code(source: String): String = {
    val out = new StringBuilder(source.length)
    val end = scan(source, 0, out, isInterpolation = false)
    blank(source, end, source.length, out)
    out.toString
  }

  private def blank(source: String, from: Int, until: Int, out: StringBuilder): Int = {
    source.substring(from, until).foreach(char => out += (if (char == '\n') char else ' '))
    until
  }

  /** Copies code from `start`; inside an interpolation it stops after the closing brace. */
  private def scan(
      source: String,
      start: Int,
      out: StringBuilder,
      isInterpolation: Boolean,
  ): Int = {
    var at = start
    var depth = 0
    while (at < source.length && depth >= 0) {
      val char = source.charAt(at)
      if (source.startsWith("//", at)) at = blank(source, at, lineEnd(source, at), out)
      else if (source.startsWith("/*", at)) at = blank(source, at, commentEnd(source, at), out)
      else if (char == '"') at = string(source, at, out)
      else if (isCharacter(source, at)) at = blank(source, at, characterEnd(source, at), out)
      else {
        if (isInterpolation && char == '{') depth += 1
        if (isInterpolation && char == '}') depth -= 1
        out += char
        at += 1
      }
    }
    at
  }

  private def lineEnd(source: String, at: Int): Int = {
    val end = source.indexOf('\n', at)
    if (end < 0) source.length else end
  }

  private def commentEnd(source: String, at: Int): Int = {
    val end = source.indexOf("*/", at + 2)
    if (end < 0) source.length else end + 2
  }

  private def isCharacter(source: String, at: Int): Boolean =
    source.charAt(at) == '\'' && at + 2 < source.length &&
      (source.charAt(at + 1) == '\\' || source.charAt(at + 2) == '\'')

  private def characterEnd(source: String, at: Int): Int = {
    val from = if (source.charAt(at + 1) == '\\') at + 3 else at + 2
    math.min(source.length, source.indexOf('\'', from) + 1)
  }

  /** Blanks a string; what stands in `${…}` of an interpolated one is scanned as code. */
  private def string(source: String, start: Int, out: StringBuilder): Int = {
    val isTriple = source.startsWith("\"\"\"", start)
    val quote = if (isTriple) "\"\"\"" else "\""
    val isInterpolated = start > 0 && Character.isLetter(source.charAt(start - 1))
    var at = blank(source, start, start + quote.length, out)
    while (at < source.length && !source.startsWith(quote, at)) {
      if (isInterpolated && source.startsWith("${", at)) {
        at = scan(source, blank(source, at, at + 2, out), out, isInterpolation = true)
      } else if (!isTriple && source.charAt(at) == '\\') at = blank(source, at, at + 2, out)
      else at = blank(source, at, at + 1, out)
    }
    val close = source.indexWhere(_ != '"', at)
    val end = if (isTriple && close >= 0) close else at + quote.length
    blank(source, at, math.min(end, source.length), out)
  }
}
