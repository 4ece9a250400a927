package ducklake.catalog.types.inlined

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.Names
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.text.TextScanner
import ducklake.catalog.types.text.TextScanner.Step
import ducklake.catalog.types.text.ValueText

/** Parses lists, structs and maps from text, in DuckDB's two spellings. Both contain the names of
  * struct fields, which are matched without regard to case. A field that is missing in the text
  * takes its initial default.
  *
  * Source: DuckDB 1.5.1 and 1.5.5, observed (format 7.3).
  */
object NestedText {

  /** Parses the text of a cast to VARCHAR: `[a, 'it\'s', NULL]`, `{'a': 1}`, `{k=v}`. A string is
    * in quotes only where it would be ambiguous without them.
    *
    * Errors: why the text is no value of the column.
    */
  def parseCast(text: String, column: Column): Either[String, Literal] =
    whole(new CastReader(new TextScanner(text)), column)

  /** Parses a struct written as SQL: `{'a': 'it''s', 'd': CAST('2024-01-01' AS DATE)}`. Lists and
    * maps inside it are cast text.
    *
    * Errors: why the text is no value of the column.
    */
  def parseSql(text: String, column: Column): Either[String, Literal] =
    whole(new SqlReader(new TextScanner(text)), column)

  private def whole(reader: Reader, column: Column): Either[String, Literal] = {
    val scan = reader.scan
    reader.value(scan.skipBlanks(0), column, ends = "").flatMap { case (literal, end) =>
      val rest = scan.skipBlanks(end)
      Either.cond(rest == scan.text.length, literal, s"text is left over at character $rest")
    }
  }

  private sealed trait Reader {
    def scan: TextScanner

    /** Reads the value at a position. A value without quotes ends before any character of `ends`.
      */
    def value(at: Int, column: Column, ends: String): Step[Literal]

    def fieldName(at: Int): Step[String]

    protected def struct(at: Int, column: Column): Step[Literal] =
      scan.sequence(at, '{', '}')(field(column)).flatMap { case (fields, end) =>
        val byId = fields.toMap
        val values = column.children.map(child => byId.get(child.id).fold(absent(child))(Right(_)))
        values
          .collectFirst { case Left(why) => Left(why) }
          .getOrElse(Right((Literal.StructValue(values.flatMap(_.toSeq)), end)))
      }

    protected def cast(text: String, column: Column): Either[String, Literal] =
      column.dataType match {
        case primitive: LakeType.Primitive =>
          ValueText
            .parseCast(text, primitive)
            .toRight(s"`$text` is no ${TypeText.print(primitive)}")
        case _: LakeType.Nested => parseCast(text, column)
      }

    private def field(column: Column)(at: Int) =
      for {
        named <- if (scan.isAt(at, '\'')) fieldName(at) else Right(scan.until(at, ":"))
        (name, nameEnd) = named
        start <- scan.expect(nameEnd, ':')
        child <- Names
          .find(column.children, name)(_.name)
          .toRight(s"there is no field `$name`")
        read <- value(start, child, ends = ",}")
        (literal, end) = read
      } yield (child.id -> literal, end)

    private def absent(child: Column): Either[String, Literal] =
      Defaults.initial(child).left.map(_.message)
  }

  private final class CastReader(val scan: TextScanner) extends Reader {
    def fieldName(at: Int): Step[String] = scan.castString(at)

    def value(at: Int, column: Column, ends: String): Step[Literal] =
      column.dataType match {
        case _: LakeType.Primitive => leaf(at, column, ends)
        case _: LakeType.Nested if isNull(at, ends) => leaf(at, column, ends)
        case _: LakeType.Nested if scan.isAt(at, '\'') =>
          scan.castString(at).flatMap { case (text, end) => parseCast(text, column).map((_, end)) }
        case LakeType.StructType => struct(at, column)
        case LakeType.ListType =>
          scan.sequence(at, '[', ']')(value(_, column.children(0), ",]")).map { case (items, end) =>
            (Literal.ListValue(items), end)
          }
        case LakeType.MapType =>
          scan.sequence(at, '{', '}')(entry(column)).map { case (entries, end) =>
            (Literal.MapValue(entries), end)
          }
      }

    private def isNull(at: Int, ends: String): Boolean =
      scan.until(at, ends)._1.equalsIgnoreCase("NULL")

    private def leaf(at: Int, column: Column, ends: String): Step[Literal] =
      if (scan.isAt(at, '\''))
        scan.castString(at).flatMap { case (text, end) => cast(text, column).map((_, end)) }
      else {
        val (text, end) = scan.until(at, ends)
        if (text.equalsIgnoreCase("NULL")) Right((Literal.Null, end))
        else cast(text, column).map((_, end))
      }

    private def entry(column: Column)(at: Int): Step[(Literal, Literal)] =
      for {
        readKey <- value(at, column.children(0), "=")
        (key, keyEnd) = readKey
        start <- scan.expect(keyEnd, '=')
        readValue <- value(start, column.children(1), ",}")
        (literal, end) = readValue
      } yield ((key, literal), end)
  }

  private final class SqlReader(val scan: TextScanner) extends Reader {
    private val inCastText = new CastReader(scan)

    def fieldName(at: Int): Step[String] = scan.sqlString(at)

    def value(at: Int, column: Column, ends: String): Step[Literal] =
      column.dataType match {
        case LakeType.StructType if scan.isAt(at, '{') => struct(at, column)
        case LakeType.ListType | LakeType.MapType => inCastText.value(at, column, ends)
        case _ => leaf(at, column, ends)
      }

    private def leaf(at: Int, column: Column, ends: String): Step[Literal] = {
      val quoted = string(at)
        .orElse(castCall(at))
        .orElse(concatenation(at))
      quoted match {
        case Some(step) =>
          step.flatMap { case (text, end) => cast(text, column).map((_, typeEnd(end))) }
        case None =>
          val (text, end) = scan.until(at, ends)
          if (text.equalsIgnoreCase("NULL")) Right((Literal.Null, end))
          else cast(text, column).map((_, end))
      }
    }

    private def string(at: Int): Option[Step[String]] =
      Option.when(scan.isAt(at, '\''))(scan.sqlString(at))

    /** Reads `CAST('…' AS TYPE)`. The type in the text is ignored, because the column has the type.
      */
    private def castCall(at: Int): Option[Step[String]] =
      for {
        open <- scan.keyword(at, "CAST(")
        step <- string(open).orElse(concatenation(open))
      } yield step.flatMap { case (text, end) => scan.expect(typeEnd(end), ')').map((text, _)) }

    /** Reads `CONCAT('a', chr(0), 'b')`, or a single `chr(0)`: a text with NUL. */
    private def concatenation(at: Int): Option[Step[String]] =
      scan
        .keyword(at, "CONCAT(")
        .map { open =>
          scan.sequence(open - 1, '(', ')')(piece).map { case (pieces, end) =>
            (pieces.mkString, end)
          }
        }
        .orElse(scan.keyword(at, "chr(").map(_ => piece(at)))

    private def piece(at: Int): Step[String] =
      string(at).getOrElse {
        val (digits, end) = scan.keyword(at, "chr(").fold(("", at))(scan.until(_, ")"))
        digits.toIntOption
          .filter(Character.isValidCodePoint)
          .map(code => (Character.toString(code), end + 1))
          .toRight(s"text expected at character $at")
      }

    /** The position after `::TYPE` or ` AS TYPE` if there is one, else the same position. */
    private def typeEnd(at: Int): Int = {
      val start = scan.skipBlanks(at)
      val named = scan.keyword(start, "::").orElse(scan.keyword(start, "AS "))
      named.fold(at)(typeStart => scan.until(typeStart, ",)}")._2)
    }
  }
}
