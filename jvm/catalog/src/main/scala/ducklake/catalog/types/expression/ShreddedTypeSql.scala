package ducklake.catalog.types.expression

import ducklake.catalog.types.Names
import ducklake.catalog.types.ShreddedType
import ducklake.catalog.types.text.TextScanner
import ducklake.catalog.types.text.TextScanner.Step

/** The columns of a variant as a type of DuckDB's SQL, such as `STRUCT(n BIGINT, tags VARCHAR[])`.
  * `VARIANT` and `NULL` are values without a column.
  *
  * Source: DuckDB 1.5.5, observed: the option SHREDDING of COPY.
  */
object ShreddedTypeSql {

  /** Left: why there can be no such columns. */
  def parse(text: String): Either[String, ShreddedType] = {
    val scan = new TextScanner(text)
    shredded(scan, scan.skipBlanks(0), MostLevels).flatMap { case (found, end) =>
      val rest = text.substring(scan.skipBlanks(end))
      Either.cond(rest.isEmpty, found, s"`$rest` is left behind the type")
    }
  }

  /** @param room how many structs and lists may be within each other */
  private def shredded(scan: TextScanner, at: Int, room: Int): Step[ShreddedType] =
    inner(scan, at, room).flatMap { case (element, end) => lists(scan, element, end, room) }

  /** The type as the element of as many lists as there are brackets behind it. */
  private def lists(
      scan: TextScanner,
      element: ShreddedType,
      at: Int,
      room: Int,
  ): Step[ShreddedType] = {
    val open = scan.skipBlanks(at)
    if (!scan.isAt(open, '[')) Right((element, at))
    else if (room == 0) tooDeep
    else
      scan.expect(open, '[').flatMap { close =>
        if (scan.isAt(close, ']')) lists(scan, ShreddedType.Items(element), close + 1, room - 1)
        else Left("a list in a variant has no fixed length")
      }
  }

  private def inner(scan: TextScanner, at: Int, room: Int): Step[ShreddedType] =
    scan.keyword(at, "STRUCT").filter(scan.isAt(_, '(')) match {
      case Some(_) if room == 0 => tooDeep
      case Some(open) =>
        scan.sequence(open, '(', ')')(field(scan, _, room - 1)).flatMap { case (fields, end) =>
          val names = fields.map(field => Names.folded(field._1))
          if (fields.isEmpty) Left("a struct has fields")
          else if (names.distinct.size < names.size) Left("a struct has each field once")
          else Right((ShreddedType.Fields(fields), end))
        }
      case None => scalar(scan, at)
    }

  private def field(scan: TextScanner, at: Int, room: Int): Step[(String, ShreddedType)] =
    for {
      named <- name(scan, at)
      (name, end) = named
      typed <- shredded(scan, scan.skipBlanks(end), room)
    } yield (name -> typed._1, typed._2)

  /** More than files have, and few enough for the stack. */
  private val MostLevels = 100
  private val tooDeep = Left(s"it has more than $MostLevels levels")

  // Possessive, because otherwise each character takes a frame of the stack.
  private val plainName = """[\p{L}_][\p{L}\p{N}_$]*""".r
  private val quotedName = """"((?:[^"]|"")++)"""".r

  private def name(scan: TextScanner, at: Int): Step[String] = {
    val rest = scan.text.substring(at)
    quotedName
      .findPrefixMatchOf(rest)
      .map(found => (found.group(1).replace("\"\"", "\""), at + found.end))
      .orElse(plainName.findPrefixOf(rest).map(name => (name, at + name.length)))
      .toRight(s"the name of a field is expected at character $at")
  }

  private def scalar(scan: TextScanner, at: Int): Step[ShreddedType] = {
    val rest = scan.text.substring(at)
    SqlType.pattern.findPrefixMatchOf(rest) match {
      case None => Left(s"a type is expected at character $at")
      case Some(found) =>
        val end = at + found.end
        val text = found.matched.trim
        if (wholes.exists(text.equalsIgnoreCase)) Right((ShreddedType.Whole, end))
        else
          SqlType.written(text).filter(ShreddedType.isOfVariants) match {
            case Some(lakeType) => Right((ShreddedType.Value(lakeType), end))
            case None => Left(s"values of a variant have no type $text")
          }
    }
  }

  private val wholes = Vector("VARIANT", "NULL", "\"NULL\"")
}
