package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.ColumnDefaultValue
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.Literal
import org.apache.spark.sql.types.DataType

/** Makes columns in the form that Spark's catalogs return. */
object CatalogColumns {

  /** @param id has no place in this form: columns have ids from Spark 4.2 on
    * @param default SQL text of the value for rows that are written without a value
    */
  def of(
      name: String,
      dataType: DataType,
      isNullable: Boolean,
      @annotation.unused id: String,
      comment: Option[String],
      default: Option[String],
  ): Column = {
    val value: Option[ColumnDefaultValue] = default.map(new ColumnDefaultValue(_, noExistsDefault))
    Column.create(name, dataType, isNullable, comment.orNull, value.orNull, null)
  }

  /** NULL for existing rows, which nothing reads: our own reader fills old rows. Spark 4.0 fails
    * without a value.
    */
  private val noExistsDefault: Literal[?] = Expressions.literal[Any](null)
}
