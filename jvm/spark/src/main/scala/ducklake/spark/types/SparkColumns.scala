package ducklake.spark.types

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.expression.DefaultSql
import ducklake.spark.sparkapi.catalog.CatalogColumns
import org.apache.spark.sql.connector.catalog

/** A table's columns as Spark's catalog columns. */
object SparkColumns {

  def of(
      columns: Vector[Column],
      rule: SparkTypes.TimeRule,
      lengths: TextLengths,
  ): Array[catalog.Column] =
    columns.map { column =>
      CatalogColumns.of(
        column.name,
        lengths.applied(column, SparkTypes.of(column, rule)),
        column.nullsAllowed,
        column.id.value.toString,
        column.comment,
        default(column, rule),
      )
    }.toArray

  private def default(column: Column, rule: SparkTypes.TimeRule): Option[String] =
    DefaultSql.of(column).map { sql =>
      (column.dataType, rule) match {
        case (LakeType.Time, SparkTypes.TimeRule.AsTime) => s"CAST($sql AS TIME(6))"
        case _ => sql
      }
    }
}
