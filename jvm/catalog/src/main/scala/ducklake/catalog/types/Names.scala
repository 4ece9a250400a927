package ducklake.catalog.types

/** Compares names of schemas, tables, columns, fields and options. The case of the letters `A` to
  * `Z` is ignored, the case of other letters is not: `Ä` and `ä` are different names, although
  * Java's comparison ignoring case treats them as equal.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_folded_names.
  */
object Names {

  /** The name in lower case. Two names are the same when they have the same folded form. */
  def folded(name: String): String =
    if (name.exists(isUpper))
      name.map(letter => if (isUpper(letter)) (letter + 32).toChar else letter)
    else name

  def isSame(left: String, right: String): Boolean =
    left == right || (left.length == right.length && folded(left) == folded(right))

  /** The candidate with exactly this name, else the first candidate whose name differs only in
    * case.
    */
  def find[A](candidates: Iterable[A], name: String)(nameOf: A => String): Option[A] =
    candidates
      .find(candidate => nameOf(candidate) == name)
      .orElse(candidates.find(candidate => isSame(nameOf(candidate), name)))

  private def isUpper(letter: Char): Boolean = letter >= 'A' && letter <= 'Z'
}
