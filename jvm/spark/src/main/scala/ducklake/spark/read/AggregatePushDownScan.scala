package ducklake.spark.read

import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.types.StructType

/** A scan that returns aggregates from the catalog: one row, without a Spark job. */
final class AggregatePushDownScan(table: TableAtSnapshot, answer: CatalogAnswer) extends LocalScan {

  override def readSchema(): StructType = answer.schema

  override def rows(): Array[InternalRow] = Array(new GenericInternalRow(answer.values.toArray))

  override def description(): String =
    s"${table.name} snapshot ${table.version} [answered from the catalog]"
}
