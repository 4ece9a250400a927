package ducklake.catalog.registration

import ducklake.catalog.partition.TransformText
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.text.ValueText

/** The texts of the reasons why a file is refused. */
private[registration] object RefusalText {

  def of(problem: MatchProblem): Refusal =
    problem match {
      case MatchProblem.Missing(column) =>
        Refusal(s"has no column `$column`", "Set allow_missing => true to add it all the same.")
      case MatchProblem.MissingNotNull(column) =>
        Refusal(s"has no column `$column`, which takes no NULL", "Leave the file out.")
      case MatchProblem.Extra(column) =>
        Refusal(
          s"has a column `$column`, which the table lacks",
          "Set ignore_extra_columns => true to add it all the same.",
        )
      case MatchProblem.Ambiguous(column) =>
        Refusal(s"has two columns with the name `$column`", "Leave the file out.")
      case MatchProblem.OtherType(column, expected, found) =>
        Refusal(
          s"has $found in column `$column`, which is $expected",
          "Change the column's type or write the file anew.",
        )
    }

  def of(problem: PartitionProblem): Refusal =
    problem match {
      case PartitionProblem.NotAValue(key, text) =>
        Refusal(s"has `$text` in its path, which is no value of ${name(key)}", leaveOut)
      case PartitionProblem.Contradicted(key, found) =>
        val value = ValueText.print(found, key.lakeType).getOrElse(none(found))
        val stated = key.stated.flatten.getOrElse("NULL")
        Refusal(
          s"has $value in `${key.column}`, but ${name(key)} is `$stated` in its path",
          leaveOut,
        )
      case PartitionProblem.MayDiffer(key) =>
        val stated = key.stated.flatten.getOrElse("NULL")
        Refusal(
          s"may have rows with other values of ${name(key)} than `$stated`, which its path says",
          leaveOut,
        )
      case PartitionProblem.NotProven(key) =>
        Refusal(
          s"has no folder for ${name(key)} in its path, and its statistics do not prove that all " +
            "rows have one value",
          "Insert its rows instead.",
        )
    }

  def nothing: Refusal =
    Refusal("has no value for any column of the table", "Leave the file out.")

  def ofPath(column: String, why: String): Refusal =
    Refusal(s"has no usable value for column `$column` in its path: $why", leaveOut)

  def nested(column: String): Refusal =
    Refusal(s"cannot have a value for `$column` by its path", leaveOut)

  def nulls(column: String, count: Option[Long]): Refusal =
    Refusal(
      count match {
        case Some(nulls) => s"has $nulls times NULL in column `$column`, which takes none"
        case None => s"does not say whether column `$column`, which takes no NULL, has some"
      },
      "Insert its rows instead.",
    )

  def belowInfinity(column: String): Refusal =
    Refusal(
      s"has a value below minus infinity in column `$column`, which DuckDB cannot read",
      "Write it again with NULL there.",
    )

  private val leaveOut = "Leave the file out, or set hive_partitioning => false."

  private def name(key: PartitionKeyFacts): String =
    s"${TransformText.print(key.transform)}(`${key.column}`) of type " +
      TypeText.print(key.lakeType)

  private def none(literal: Literal): String =
    if (literal == Literal.Null) "NULL" else "another value"
}
