package ducklake.spark.sparkapi.catalog

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

import java.util

/** A procedure that refuses a given argument whose value is NULL. If it were treated as omitted,
  * the call would affect more than requested: the whole lake instead of a table.
  *
  * Source: ours. DuckDB 1.5.5 fails with internal errors (observed).
  */
private[spark] final class NullRefusal(procedure: UnboundProcedure) extends UnboundProcedure {

  override def name(): String = procedure.name()

  override def description(): String = procedure.description()

  /** Only here Spark reveals which arguments are given; in the call, omitted arguments are NULL
    * too.
    */
  override def bind(inputType: StructType): BoundProcedure = {
    val bound = procedure.bind(inputType)
    new NullRefusingCall(bound, NullRefusal.supplied(bound.parameters(), inputType))
  }
}

private[spark] object NullRefusal {

  /** The indexes of the parameters whose arguments are given, by position or by name. */
  def supplied(parameters: Array[ProcedureParameter], inputType: StructType): Vector[Int] =
    inputType.fields.toVector.zipWithIndex
      .map { case (field, position) =>
        if (isNamed(field)) parameters.indexWhere(_.name().equalsIgnoreCase(field.name))
        else position
      }
      .filter(parameters.indices.contains)

  private def isNamed(field: StructField): Boolean =
    field.metadata.contains(ProcedureParameter.BY_NAME_METADATA_KEY)
}

private final class NullRefusingCall(procedure: BoundProcedure, supplied: Vector[Int])
    extends BoundProcedure {

  override def name(): String = procedure.name()

  override def description(): String = procedure.description()

  override def isDeterministic: Boolean = procedure.isDeterministic

  override def parameters(): Array[ProcedureParameter] = procedure.parameters()

  /** Errors: InvalidArgument for an argument that is NULL. */
  override def call(input: InternalRow): util.Iterator[Scan] = {
    supplied.find(input.isNullAt).foreach { index =>
      val error = LakeError.InvalidArgument(name(), parameters()(index).name(), "is NULL")
      onDriver(SparkErrors.raise(error))
    }
    procedure.call(input)
  }
}
