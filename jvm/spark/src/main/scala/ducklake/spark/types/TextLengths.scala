package ducklake.spark.types

import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import org.apache.spark.sql.types.*

import java.util.Locale

/** The lengths of CHAR(n) and VARCHAR(n) columns. DuckLake's type `varchar` has no length, so a tag
  * of the table keeps the types by column id. Spark obeys these types as in its own tables; DuckDB
  * keeps the tag and ignores it (jvm/docs/limits.md).
  */
final case class TextLengths(types: Map[ColumnId, DataType]) {

  def isEmpty: Boolean = types.isEmpty

  /** Spark's type of the column with the lengths of its texts.
    *
    * @param plain the type without lengths
    */
  def applied(column: Column, plain: DataType): DataType =
    if (isEmpty) plain
    else
      (plain, column.children) match {
        case (StringType, _) if column.dataType == LakeType.Varchar =>
          types.getOrElse(column.id, plain)
        case (ArrayType(element, hasNull), Vector(child)) =>
          ArrayType(applied(child, element), hasNull)
        case (MapType(key, value, hasNull), Vector(ofKey, ofValue)) =>
          MapType(applied(ofKey, key), applied(ofValue, value), hasNull)
        case (StructType(fields), children) =>
          StructType(fields.zip(children).map { case (field, child) =>
            field.copy(dataType = applied(child, field.dataType))
          })
        case _ => plain
      }

  /** The same lengths, with the column as this type declares it. */
  def declared(column: Column, dataType: DataType): TextLengths =
    TextLengths(types -- TextLengths.leaves(column) ++ TextLengths.in(column, dataType))

  /** Whether Spark compares other texts than are stored: it pads those of CHAR(n) when it reads. */
  def arePadded(column: Column): Boolean = TextLengths.leaves(column).exists { leaf =>
    types.get(leaf).exists {
      case _: CharType => true
      case _ => false
    }
  }

  /** The tags of a table with these columns. Columns that the table does not have are left out. */
  def tagged(tags: Map[String, String], columns: Vector[Column]): Map[String, String] = {
    val live = columns.flatMap(TextLengths.leaves).toSet
    val kept = types.filter { case (id, _) => live(id) }.toVector.sortBy(_._1.value)
    val texts = kept.map { case (id, dataType) =>
      s"${id.value}=${dataType.sql.toLowerCase(Locale.ROOT)}"
    }
    if (texts.isEmpty) tags - TextLengths.Tag
    else tags + (TextLengths.Tag -> texts.mkString(","))
  }
}

object TextLengths {

  /** The tag of tables with these columns, such as `3=varchar(10),5=char(2)`. */
  val Tag: String = "spark.text-lengths"

  val none: TextLengths = TextLengths(Map.empty)

  private val entry = """(\d+)=(var)?char\((\d+)\)""".r

  /** The lengths in a table's tags. Other texts that writers put into the tag are left out. */
  def of(tags: Map[String, String]): TextLengths =
    tags.get(Tag).fold(none) { text =>
      TextLengths(text.split(',').toVector.flatMap(parsed).toMap)
    }

  /** The lengths of a new table.
    *
    * @param declared the types of the columns in the statement
    */
  def ofNew(columns: Vector[Column], declared: Seq[DataType]): TextLengths =
    columns.zip(declared).foldLeft(none) { case (known, (column, dataType)) =>
      known.declared(column, dataType)
    }

  /** The lengths of a table whose columns `from` became the columns `to`, with other ids. */
  def moved(known: TextLengths, from: Vector[Column], to: Vector[Column]): TextLengths = {
    val ids = from.flatMap(leaves).zip(to.flatMap(leaves)).toMap
    TextLengths(known.types.flatMap { case (id, dataType) => ids.get(id).map(_ -> dataType) })
  }

  private def parsed(text: String): Option[(ColumnId, DataType)] =
    text.trim match {
      case entry(id, isVarying, length) =>
        for {
          known <- id.toLongOption
          characters <- length.toIntOption.filter(_ > 0)
        } yield ColumnId(known) -> (
          if (Option(isVarying).isEmpty) CharType(characters) else VarcharType(characters)
        )
      case _ => None
    }

  private def leaves(column: Column): Vector[ColumnId] =
    if (column.children.isEmpty) Vector(column.id) else column.children.flatMap(leaves)

  private def in(column: Column, dataType: DataType): Map[ColumnId, DataType] =
    (dataType, column.children) match {
      // Since Spark 4.2 the type may also name its collation, which can only be the usual one.
      case (text: CharType, _) => Map(column.id -> CharType(text.length))
      case (text: VarcharType, _) => Map(column.id -> VarcharType(text.length))
      case (ArrayType(element, _), Vector(child)) => in(child, element)
      case (MapType(key, value, _), Vector(ofKey, ofValue)) =>
        in(ofKey, key) ++ in(ofValue, value)
      case (StructType(fields), children) =>
        children.zip(fields).flatMap { case (child, field) => in(child, field.dataType) }.toMap
      case _ => Map.empty
    }
}
