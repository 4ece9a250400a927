package ducklake.catalog.types.inlined

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.binary.VariantEncoding
import ducklake.catalog.types.binary.Wkt
import ducklake.catalog.types.text.ValueText

/** Initial defaults: the values of a column for rows whose file or inlined table does not have the
  * column.
  */
object Defaults {

  /** The column's initial default; NULL when it has none, or when its text is `NULL` and `NULL` is
    * not a value of the type.
    *
    * Errors: InvalidValue when the text is no value of the type.
    *
    * Source: spec 1.0, ducklake_column, initial_default; DuckDB 1.5.5, observed (format 2.4).
    */
  def initial(column: Column): Either[LakeError, Literal] =
    column.initialDefault.fold[Either[LakeError, Literal]](Right(Literal.Null)) { text =>
      parse(text, column) match {
        case Left(_) if text == "NULL" => Right(Literal.Null)
        case Left(why) => Left(invalid(column, text, why))
        case Right(literal) => Right(literal)
      }
    }

  /** Parses the text of a literal default. DuckDB casts the text itself to a variant. */
  private[types] def parse(text: String, column: Column): Either[String, Literal] =
    column.dataType match {
      case LakeType.Variant =>
        VariantEncoding
          .encode(Literal.Text(text), LakeType.Varchar)
          .toRight("it is no value of the type")
      case LakeType.Geometry(_) =>
        Wkt.parse(text).map(Literal.Bytes(_)).toRight("it is no well-known text")
      case primitive: LakeType.Primitive =>
        ValueText.parseCast(text, primitive).toRight("it is no value of the type")
      case _: LakeType.Nested => NestedText.parseCast(text, column)
    }

  private def invalid(column: Column, text: String, why: String): LakeError =
    LakeError.InvalidValue(
      column.name,
      s"the initial default `$text`",
      TypeText.print(column.dataType),
      why,
    )
}
