package ducklake.spark.types

import ducklake.catalog.model.Column
import ducklake.catalog.types.DefaultSql
import ducklake.catalog.types.LakeType
import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.connector.catalog.ColumnDefaultValue
import org.apache.spark.sql.connector.expressions.Literal
import org.apache.spark.sql.types.DataType

/** A table's columns as Spark's catalog columns. */
object SparkColumns {

  def of(columns: Vector[Column], rule: SparkTypes.TimeRule): Array[catalog.Column] =
    columns.map { column =>
      val builder = catalog.Column
        .builderFor(column.name, SparkTypes.of(column, rule))
        .nullable(column.nullsAllowed)
        .id(column.id.value.toString)
      column.comment.foreach(builder.comment)
      default(column, rule).foreach(sql => builder.defaultValue(new SqlDefault(sql)))
      builder.build()
    }.toArray

  private def default(column: Column, rule: SparkTypes.TimeRule): Option[String] =
    DefaultSql.of(column).map { sql =>
      (column.dataType, rule) match {
        case (LakeType.Time, SparkTypes.TimeRule.AsTime) => s"CAST($sql AS TIME(6))"
        case _ => sql
      }
    }

  /** A default as SQL text alone: old rows are filled by our own reader. */
  private final class SqlDefault(sql: String)
      extends ColumnDefaultValue(sql, SqlDefault.noExistsDefault)

  private object SqlDefault {

    /** Spark's way to say that the source fills old rows itself. */
    val noExistsDefault: Literal[?] = Option.empty[Literal[DataType]].orNull
  }
}
