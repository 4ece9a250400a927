package ducklake.files.foreign

import org.apache.parquet.format.ConvertedType
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.format.LogicalType._Fields
import org.apache.parquet.format.SchemaElement

import scala.jdk.CollectionConverters.ListHasAsScala

/** An annotation that DuckDB reads differently from Parquet's library.
  *
  * @param column the column's own name
  * @param name the annotation in the file
  */
final case class UnreadAnnotation(column: String, name: String)

/** DuckDB takes most types from the converted type alone, and reads no column of a file with the
  * converted type BSON. All usual writers write the converted type beside the logical type.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_added_annotations.
  */
private[foreign] object UnreadAnnotation {

  /** The first in a footer. */
  def in(footer: FileMetaData): Option[UnreadAnnotation] =
    footer.getSchema.asScala.iterator
      .flatMap(field => nameOf(field).map(UnreadAnnotation(field.getName, _)))
      .nextOption()

  private def nameOf(field: SchemaElement): Option[String] =
    Option(field.getConverted_type) match {
      case Some(ConvertedType.BSON) => Some("BSON")
      case Some(_) => None
      case None =>
        Option(field.getLogicalType)
          .map(_.getSetField)
          .filter(converted.contains)
          .map(kind => s"$kind without a converted type")
    }

  /** The kinds of logical types that DuckDB takes from the converted type. */
  private val converted: Set[_Fields] = Set(
    _Fields.STRING,
    _Fields.MAP,
    _Fields.LIST,
    _Fields.ENUM,
    _Fields.DECIMAL,
    _Fields.DATE,
    _Fields.INTEGER,
    _Fields.JSON,
    _Fields.BSON,
  )
}
