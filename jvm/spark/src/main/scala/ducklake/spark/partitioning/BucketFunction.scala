package ducklake.spark.partitioning

import ducklake.catalog.partition.Bucket
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.types.LakeType
import ducklake.spark.predicate.LiteralFromSpark
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.functions.BoundFunction
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.types.*

/** `bucket(n, column)` with DuckLake's hash. By this function Spark recognises tables with the same
  * buckets.
  */
object BucketFunction extends UnboundFunction {

  override def name(): String = "bucket"

  override def description(): String = "bucket(count, value): the bucket DuckLake puts a value in"

  override def bind(input: StructType): BoundFunction = {
    if (input.length != 2)
      throw new UnsupportedOperationException("bucket takes a count and a value")
    val dataType = input.fields(1).dataType
    new BoundBucket(dataType, hashedAs(dataType))
  }

  /** The DuckLake type by whose rule the values of a Spark type are hashed. Columns of chosen types
    * (unsigned, uuid, other timestamp units) are hashed by other rules and not reported as
    * bucketed.
    */
  private def hashedAs(dataType: DataType): LakeType.Primitive =
    dataType match {
      case BooleanType => LakeType.Bool
      case ByteType | ShortType | IntegerType | LongType => LakeType.Int64
      case FloatType => LakeType.Float32
      case DoubleType => LakeType.Float64
      case decimal: DecimalType => LakeType.Decimal(decimal.precision, decimal.scale)
      case DateType => LakeType.Date
      case TimestampNTZType => LakeType.Timestamp
      case TimestampType => LakeType.TimestampTz
      case StringType => LakeType.Varchar
      case other => throw new UnsupportedOperationException(s"bucket does not take ${other.sql}")
    }
}

/** `bucket` for values of one Spark type. */
private final class BoundBucket(dataType: DataType, hashed: LakeType.Primitive)
    extends ScalarFunction[Integer] {

  override def inputTypes(): Array[DataType] = Array(IntegerType, dataType)

  override def resultType(): DataType = IntegerType

  override def name(): String = "bucket"

  override def canonicalName(): String = s"ducklake.bucket(${dataType.catalogString})"

  override def produceResult(input: InternalRow): Integer =
    if (input.isNullAt(1)) Option.empty[Integer].orNull
    else {
      val value = LiteralFromSpark.ofInternal(input.get(1, dataType), hashed, Comparison.Equal)
      val bucket = value.flatMap(Bucket.of(_, hashed, input.getInt(0)))
      bucket.map(Integer.valueOf).orNull
    }
}
