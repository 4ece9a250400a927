package ducklake.spark.sparkapi.stream

import ducklake.spark.sparkapi.catalog.ColumnTable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TableOutputResolver
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.optimizer.ComputeCurrentTime
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import java.util

/** The rows of a query as rows of a table: columns are found by name, values are cast, and columns
  * that the query lacks get their defaults, all as in INSERT BY NAME.
  */
final case class RowsByName(values: Vector[Expression], query: Vector[Attribute]) {

  /** A function that gives the same object for each row. */
  def projection(): InternalRow => InternalRow = UnsafeProjection.create(values, query)
}

object RowsByName {

  /** None when the query's rows need no change to be rows of the table. Throws Spark's own errors
    * when the columns do not fit.
    *
    * @param table the table's name, for messages
    */
  def of(table: String, columns: Array[Column], query: StructType): Option[RowsByName] = {
    val source = LocalRelation(DataTypeUtils.toAttributes(query))
    val expected = DataSourceV2Relation.create(new Columns(table, columns), None, None).output
    val fitted = TableOutputResolver.resolveOutputColumns(
      table,
      expected,
      source,
      byName = true,
      SQLConf.get,
      MissingColumns.Filled,
    )
    ReplaceExpressions(ComputeCurrentTime(fitted)) match {
      case Project(values, _) => Some(RowsByName(values.toVector, source.output.toVector))
      case _ => None
    }
  }

  /** A table that has only a name and columns. */
  private final class Columns(table: String, all: Array[Column]) extends ColumnTable {
    override def name(): String = table
    override def columns(): Array[Column] = all
    override def capabilities(): util.Set[TableCapability] = util.Set.of()
  }
}
