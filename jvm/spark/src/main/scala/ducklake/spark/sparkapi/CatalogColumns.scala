package ducklake.spark.sparkapi

import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.ColumnDefaultValue
import org.apache.spark.sql.connector.expressions.Literal
import org.apache.spark.sql.types.DataType

/** Columns of Spark's catalogs. */
object CatalogColumns {

  /** @param id the same as long as the column lives, so that Spark sees when another takes its name
    * @param default SQL text for rows that give no value
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

  /** A default as SQL text alone: our own reader fills rows that are older than the column. */
  private final class SqlDefault(sql: String)
      extends ColumnDefaultValue(sql, SqlDefault.noExistsDefault)

  private object SqlDefault {

    /** Spark's way to say that the source fills old rows itself. */
    val noExistsDefault: Literal[?] = Option.empty[Literal[DataType]].orNull
  }
}
