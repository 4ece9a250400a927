package ducklake.catalog.types

/** How names of schemas, tables, columns, fields and options are compared: without regard to the case of
  * `A` to `Z`, and of no other letter. `Ä` and `ä` are two names, which Java would take for one.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_folded_names.
  */
object Names {

  /** The one spelling of all names that are the same. */
  def folded(name: String): String =
    if (name.exists(isUpper))
      name.map(letter => if (isUpper(letter)) (letter + 32).toChar else letter)
    else name

  def isSame(left: String, right: String): Boolean =
    left == right || (left.length == right.length && folded(left) == folded(right))

  /** The candidate of this very name, else the first whose name differs in case only. */
  def find[A](candidates: Iterable[A], name: String)(nameOf: A => String): Option[A] =
    candidates
      .find(candidate => nameOf(candidate) == name)
      .orElse(candidates.find(candidate => isSame(nameOf(candidate), name)))

  private def isUpper(letter: Char): Boolean = letter >= 'A' && letter <= 'Z'
}
