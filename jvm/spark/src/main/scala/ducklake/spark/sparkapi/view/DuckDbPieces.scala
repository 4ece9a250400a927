package ducklake.spark.sparkapi.view

/** A piece of a text of DuckDB. The pieces of a text in order are the text. */
private[view] sealed trait Piece {
  def text: String
}

private[view] object Piece {

  /** A string with its apostrophes. `''` inside is one apostrophe; a backslash has no special
    * meaning.
    */
  final case class Quoted(text: String) extends Piece

  /** With its double quotes. */
  final case class Name(text: String) extends Piece

  /** A name without quotes, a keyword or the digits of a number. */
  final case class Word(text: String) extends Piece

  /** An operator, a bracket, a comma and so on. */
  final case class Sign(text: String) extends Piece

  final case class Blank(text: String) extends Piece

  // Possessive, because otherwise each character takes a frame of the stack.
  private val Pattern =
    """(?s)('(?:[^']|'')*+')|("(?:[^"]|"")*+")|([\p{L}\p{M}\p{N}_$]+)|(\s+)|([-+*/<>=~!@#%^&|?:]+|.)""".r

  def of(text: String): Vector[Piece] =
    Pattern
      .findAllMatchIn(text)
      .map { found =>
        val piece = found.matched
        if (found.group(1) != null) Quoted(piece)
        else if (found.group(2) != null) Name(piece)
        else if (found.group(3) != null) Word(piece)
        else if (found.group(4) != null) Blank(piece)
        else Sign(piece)
      }
      .toVector
}
