package ducklake.catalog.types

import ducklake.catalog.model.Column

/** Lists, structs and maps as text: what [[NestedText]] reads.
  *
  * None for a value that holds one which has no text, is not of its column's type, or is JSON, which
  * DuckDB does not read back out of a nested text.
  *
  * Source: DuckDB 1.5.5, observed (format 7.3).
  */
private[types] object NestedTextPrinter {

  /** As DuckDB's cast to VARCHAR. */
  def castText(value: Literal, column: Column): Option[String] =
    orNull(value) {
      column.dataType match {
        case primitive: LakeType.Primitive => leaf(value, primitive).map(castLeaf)
        case LakeType.ListType => list(value, column)
        case LakeType.StructType => struct(value, column)(castText)
        case LakeType.MapType => map(value, column)
      }
    }

  /** As DuckDB writes a struct into an inlined table where it is text: strings always in quotes, which
    * are escaped as in casts, because DuckDB reads the text by a cast.
    */
  def structText(value: Literal, column: Column): Option[String] =
    orNull(value) {
      column.dataType match {
        case LakeType.Varchar => leaf(value, LakeType.Varchar).map(quoted)
        case LakeType.StructType => struct(value, column)(structText)
        case _ => castText(value, column)
      }
    }

  private val brackets = "()[]{}"
  private val needingQuotes = brackets + "\"',:="

  private def orNull(value: Literal)(text: => Option[String]): Option[String] =
    if (value == Literal.Null) Some("NULL") else text

  private def leaf(value: Literal, lakeType: LakeType.Primitive): Option[String] =
    if (lakeType == LakeType.Json) None else InlineText.primitive(value, lakeType)

  private def castLeaf(text: String): String = {
    val isPlain =
      text.nonEmpty && !TextScanner.isBlank(text.head) && !TextScanner.isBlank(text.last) &&
        !text.equalsIgnoreCase("NULL") && !text.exists(char => needingQuotes.contains(char))
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

  /** In maps DuckDB takes a backslash without quotes around it for an escape, now and then. */
  private def isBare(text: String): Boolean = !text.startsWith("'") && text.contains('\\')

  /** DuckDB loses its way in parts with backslashes, or with brackets in quotes. */
  private def part(print: (Literal, Column) => Option[String])(
      value: Literal,
      column: Column,
  ): Option[String] =
    column.dataType match {
      case _: LakeType.Primitive => print(value, column)
      case _: LakeType.Nested => print(value, column).filterNot(isHard)
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
