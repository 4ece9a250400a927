package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.types.StructType

/** A procedure that has one list of parameters. */
abstract class SparkProcedure extends BoundProcedure {

  /** The procedure for arguments of these types. */
  def bind(inputType: StructType): BoundProcedure = this

  /** The procedure before its arguments are known. It is a separate object: when one object is
    * both, as Spark's `SimpleProcedure` is, Spark takes a call whose arguments it has not resolved
    * yet (`older_than => now() - INTERVAL 1 DAY`) for a bound one, and fails.
    */
  final def unbound: UnboundProcedure = new UnboundProcedure {
    override def name(): String = SparkProcedure.this.name()
    override def description(): String = SparkProcedure.this.description()
    override def bind(inputType: StructType): BoundProcedure =
      SparkProcedure.this.bind(inputType)
  }
}
