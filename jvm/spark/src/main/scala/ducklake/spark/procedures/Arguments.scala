package ducklake.spark.procedures

import ducklake.catalog.error.LakeError
import ducklake.spark.ddl.TableName
import ducklake.spark.errors.SparkErrors
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StringType

import java.time.Instant
import java.time.temporal.ChronoUnit

/** The arguments of a CALL, in the order of the procedure's parameters. Omitted arguments are NULL;
  * [[ducklake.spark.sparkapi.catalog.NullRefusal]] refuses given arguments that are NULL.
  */
final class Arguments(procedure: String, row: InternalRow) {

  def text(index: Int): Option[String] =
    Option.unless(row.isNullAt(index))(row.getUTF8String(index).toString)

  def flag(index: Int): Option[Boolean] =
    Option.unless(row.isNullAt(index))(row.getBoolean(index))

  def long(index: Int): Option[Long] =
    Option.unless(row.isNullAt(index))(row.getLong(index))

  def double(index: Int): Option[Double] =
    Option.unless(row.isNullAt(index))(row.getDouble(index))

  /** The value of an argument of Spark's type TIMESTAMP. */
  def instant(index: Int): Option[Instant] =
    long(index).map(micros => Instant.EPOCH.plus(micros, ChronoUnit.MICROS))

  /** The text of an argument. Errors: InvalidArgument when it is NULL. */
  def required(index: Int, name: String): String =
    text(index).getOrElse(fail(name, "is NULL"))

  /** The elements of an array. Errors: InvalidArgument when it is NULL, empty, or has NULLs. */
  def texts(index: Int, name: String): Vector[String] = {
    if (row.isNullAt(index)) fail(name, "is NULL")
    val array = row.getArray(index)
    if (array.numElements() == 0) fail(name, "is empty")
    Vector.tabulate(array.numElements()) { i =>
      if (array.isNullAt(i)) fail(name, "has a NULL")
      array.getUTF8String(i).toString
    }
  }

  /** The numbers of an array, which has no NULL; None when the array is NULL. */
  def numbers(index: Int, name: String): Option[Vector[Long]] =
    Option.unless(row.isNullAt(index)) {
      val array = row.getArray(index)
      Vector.tabulate(array.numElements()) { i =>
        if (array.isNullAt(i)) fail(name, "has a NULL")
        array.getLong(i)
      }
    }

  /** Whether the argument is true. NULL is false. */
  def isTrue(index: Int): Boolean = flag(index).contains(true)

  def table(tableIndex: Int, schemaIndex: Int): TableName =
    TableName(text(schemaIndex), required(tableIndex, "table_name"))

  def fail(argument: String, why: String): Nothing =
    SparkErrors.raise(LakeError.InvalidArgument(procedure, argument, why))
}

object Arguments {

  def required(name: String): ProcedureParameter =
    ProcedureParameter.in(name, StringType).build()

  def optional(name: String): ProcedureParameter = optional(name, StringType)

  def optional(name: String, dataType: DataType): ProcedureParameter =
    ProcedureParameter.in(name, dataType).defaultValue("NULL").build()

  def flag(name: String): ProcedureParameter = optional(name, BooleanType)

  def list(name: String): ProcedureParameter =
    ProcedureParameter.in(name, ArrayType(StringType)).build()
}
