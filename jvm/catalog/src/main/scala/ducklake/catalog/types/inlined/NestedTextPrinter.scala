package ducklake.catalog.types.inlined

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.text.TextScanner

/** Prints lists, structs and maps as text that [[NestedText]] reads.
  *
  * None when a value in it has no text, is not of its column's type, or is JSON, which DuckDB does
  * not read back from a nested text.
  *
  * Source: DuckDB 1.5.5 and 2.0.0, observed (format 7.3).
  */
private[inlined] final class NestedTextPrinter private (spelling: NestedTextPrinter.Spelling) {
  import NestedTextPrinter.*

  /** The text of DuckDB's cast to VARCHAR. */
  def castText(value: Literal, column: Column): Option[String] =
    orNull(value) {
      column.dataType match {
        case primitive: LakeType.Primitive => leaf(value, primitive).map(castLeaf)
        case LakeType.ListType => list(value, column)
        case LakeType.StructType => struct(value, column)(castText)
        case LakeType.MapType => map(value, column)
      }
    }

  /** The text of a struct in an inlined table where the column is text. Strings are always in
    * quotes. Quotes in strings are escaped as in casts, because DuckDB reads the text with a cast.
    */
  def structText(value: Literal, column: Column): Option[String] =
    orNull(value) {
      column.dataType match {
        case LakeType.Varchar => leaf(value, LakeType.Varchar).map(quoted)
        case LakeType.StructType => struct(value, column)(structText)
        case _ => castText(value, column)
      }
    }

  private def orNull(value: Literal)(text: => Option[String]): Option[String] =
    if (value == Literal.Null) Some("NULL") else text

  private def leaf(value: Literal, lakeType: LakeType.Primitive): Option[String] =
    if (lakeType == LakeType.Json) None else InlineText.primitive(value, lakeType)

  private def castLeaf(text: String): String = {
    val isPlain =
      text.nonEmpty && !TextScanner.isBlank(text.head) && !TextScanner.isBlank(text.last) &&
        !text.equalsIgnoreCase("NULL") && !text.exists(char =>
          spelling.quotedCharacters.contains(char)
        )
    if (isPlain) text else quoted(text)
  }

  private def quoted(text: String): String =
    "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

  private def list(value: Literal, column: Column): Option[String] =
    value match {
      case Literal.ListValue(items) =>
        all(items.map(part(castText)(_, column.children(0)))).map(_.mkString("[", ", ", "]"))
      case _ => None
    }

  private def struct(value: Literal, column: Column)(
      print: (Literal, Column) => Option[String]
  ): Option[String] =
    value match {
      case Literal.StructValue(fields) if fields.size == column.children.size =>
        val parts = fields.zip(column.children).map { case (field, child) =>
          part(print)(field, child).map(text => s"${quoted(child.name)}: $text")
        }
        all(parts).map(_.mkString("{", ", ", "}"))
      case _ => None
    }

  private def map(value: Literal, column: Column): Option[String] =
    value match {
      case Literal.MapValue(entries) =>
        val parts = entries.map { case (key, item) =>
          for {
            keyText <- part(castText)(key, column.children(0)).filterNot(isBare)
            itemText <- part(castText)(item, column.children(1)).filterNot(isBare)
          } yield s"$keyText=$itemText"
        }
        all(parts).map(_.mkString("{", ", ", "}"))
      case _ => None
    }

  /** Whether the text has a backslash outside quotes, which DuckDB sometimes reads as an escape
    * inside maps.
    */
  private def isBare(text: String): Boolean = !text.startsWith("'") && text.contains('\\')

  /** Prints a child value. None for texts with backslashes or with brackets in quotes, which DuckDB
    * parses wrongly inside nested texts.
    */
  private def part(print: (Literal, Column) => Option[String])(
      value: Literal,
      column: Column,
  ): Option[String] =
    column.dataType match {
      case _: LakeType.Primitive => print(value, column)
      case _: LakeType.Nested => print(value, column).filterNot(spelling.mayBeMisread && isHard(_))
    }

  private def isHard(text: String): Boolean = {
    val inQuotes = text.split("'", -1).iterator.zipWithIndex.collect {
      case (piece, index) if index % 2 == 1 => piece
    }
    text.contains('\\') || inQuotes.exists(_.exists(char => brackets.contains(char)))
  }

  private def all(texts: Vector[Option[String]]): Option[Vector[String]] =
    Option.when(texts.forall(_.nonEmpty))(texts.flatten)
}

private[inlined] object NestedTextPrinter {

  /** How a version of DuckDB spells strings.
    *
    * @param quotedCharacters the characters of strings that stand in quotes
    * @param mayBeMisread whether the version misreads some of these texts. They are not printed.
    */
  private final case class Spelling(quotedCharacters: String, mayBeMisread: Boolean)

  private val brackets = "()[]{}"
  private val needingQuotes = brackets + "\"',:="

  /** The spelling of DuckDB 1.5.5, for texts that are stored: 2.0 reads them too. */
  val Stored: NestedTextPrinter =
    new NestedTextPrinter(Spelling(needingQuotes, mayBeMisread = true))

  /** The spelling of DuckDB 2.0. */
  val DuckDb20: NestedTextPrinter =
    new NestedTextPrinter(Spelling(needingQuotes + "\\", mayBeMisread = false))
}
