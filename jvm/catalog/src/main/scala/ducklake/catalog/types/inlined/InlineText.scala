package ducklake.catalog.types.inlined

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralBits
import ducklake.catalog.types.text.ValueText

/** The text that is stored in an inlined table for a value. It is DuckDB's own text, when DuckDB
  * and [[InlineCodec]] read the same value back from it.
  *
  * None for all other values, and for values that are not of the column's type. Callers handle NULL
  * before.
  *
  * Source: DuckDB 1.5.5, observed (format 7.3).
  */
object InlineText {

  /** The text of a value without children. */
  def primitive(value: Literal, lakeType: LakeType.Primitive): Option[String] =
    if (InlineRange.holds(value, lakeType)) ValueText.print(value, lakeType) else None

  /** The text of a list, struct or map for a DuckDB file, where it is cast to the column's type. */
  def nestedNative(value: Literal, column: Column): Option[String] = {
    val listOfOne = column.copy(dataType = LakeType.ListType, children = Vector(column))
    for {
      text <- NestedTextPrinter.Stored.castText(value, column)
      if MapKeys.areAccepted(value, column)
      if readsBack(s"[$text]", Literal.ListValue(Vector(value)), listOfOne)
    } yield text
  }

  /** The text of a list, struct or map for PostgreSQL and SQLite, where the column is text. None
    * for structs with backslashes, which DuckDB 1.5 and 2.0 spell differently.
    */
  def nestedText(value: Literal, column: Column): Option[String] = {
    val isStruct = column.dataType == LakeType.StructType
    val printed =
      if (isStruct) NestedTextPrinter.Stored.structText(value, column)
      else NestedTextPrinter.Stored.castText(value, column)
    for {
      text <- printed
      if text.indexOf('\u0000') < 0
      if !isStruct || !text.contains("\\\\")
      if MapKeys.areAccepted(value, column)
      if readsBack(text, value, column)
    } yield text
  }

  private def readsBack(text: String, value: Literal, column: Column): Boolean =
    InlineCodec
      .decode(StoredValue.Text(text), column)
      .exists(LiteralBits.of(_) == LiteralBits.of(value))
}
