package ducklake.catalog.option

import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Names

import scala.util.matching.Regex.Match

/** The columns that the option `skip_stats_columns` names: their files get no bounds in the
  * statistics.
  */
object SkippedStatistics {

  // Possessive, because otherwise each character takes a frame of the stack.
  private val name = """\s*(?:"((?:[^"]|"")++)"|`((?:[^`]|``)++)`|([^"`,]*[^"`,\s]))\s*"""
  private val one = s"(?s)$name".r
  private val list = s"(?s)(?:$name(?:,$name)*+|\\s*)".r

  /** The ids of the named columns, without repetition; none for an empty text.
    *
    * @param text names of top-level columns with commas between them, quoted where a name has a
    *   comma or a quote
    *
    * Left: why the text is refused. A partition key needs bounds, and the bounds of geometries and
    * variants are not a minimum and maximum.
    *
    * Source: format 14.10; the list with commas is ours, DuckDB takes a list of texts.
    */
  def of(text: String, table: TableDefinition): Either[String, Vector[ColumnId]] =
    if (list.matches(text)) {
      val found = one.findAllMatchIn(text).toVector.map(part => column(unquoted(part), table))
      found
        .collectFirst { case Left(why) => Left(why) }
        .getOrElse(Right(found.flatMap(_.toSeq).map(_.id).distinct))
    } else Left("it is no list of column names with commas between them")

  private def unquoted(part: Match): String =
    Option(part.group(1))
      .map(_.replace("\"\"", "\""))
      .orElse(Option(part.group(2)).map(_.replace("``", "`")))
      .getOrElse(part.group(3))

  private def column(name: String, table: TableDefinition): Either[String, Column] =
    table.columns.find(column => Names.isSame(column.name, name)) match {
      case None => Left(s"there is no column `$name`")
      case Some(found) if table.partition.exists(_.column == found.id) =>
        Left(s"`$name` is a partition key")
      case Some(found) if hasOtherBounds(found) =>
        Left(s"`$name` is or contains a geometry or a variant, which have no such bounds")
      case Some(found) => Right(found)
    }

  private def hasOtherBounds(column: Column): Boolean = column.dataType match {
    case LakeType.Variant | LakeType.Geometry(_) => true
    case _ => column.children.exists(hasOtherBounds)
  }
}
