package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.ColumnDefaultValue
import org.apache.spark.sql.connector.expressions.Literal
import org.apache.spark.sql.types.DataType

/** Makes columns in the form that Spark's catalogs return. */
object CatalogColumns {

  /** @param id stays the same as long as the column exists, so that Spark notices when another
    *   column takes its name
    * @param default SQL text of the value for rows that are written without a value
    */
  def of(
      name: String,
      dataType: DataType,
      isNullable: Boolean,
      id: String,
      comment: Option[String],
      default: Option[String],
  ): Column = {
    val builder = Column.builderFor(name, dataType).nullable(isNullable).id(id)
    comment.foreach(builder.comment)
    default.foreach(sql => builder.defaultValue(new SqlDefault(sql)))
    builder.build()
  }

  /** A default that is only SQL text. Our own reader fills rows that are older than the column. */
  private final class SqlDefault(sql: String)
      extends ColumnDefaultValue(sql, SqlDefault.noExistsDefault)

  private object SqlDefault {

    /** No value for existing rows: Spark infers that the source fills old rows itself. */
    val noExistsDefault: Literal[?] = Option.empty[Literal[DataType]].orNull
  }
}
