package ducklake.catalog.registration

/** Why the schema of a file does not match the columns of a table. `column` is the path of names
  * from the top-level column, joined by points.
  */
sealed trait MatchProblem {
  def column: String
}

object MatchProblem {

  /** The table has a column that the file lacks. */
  final case class Missing(column: String) extends MatchProblem

  /** The file lacks a column that takes no NULL and has no value for rows of older files. */
  final case class MissingNotNull(column: String) extends MatchProblem

  /** The file has a column that the table lacks. */
  final case class Extra(column: String) extends MatchProblem

  /** Two columns of the file have the name of one column of the table. */
  final case class Ambiguous(column: String) extends MatchProblem

  /** @param expected the column's type
    * @param found the file's type
    */
  final case class OtherType(column: String, expected: String, found: String) extends MatchProblem
}
