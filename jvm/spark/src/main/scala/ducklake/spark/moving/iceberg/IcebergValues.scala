package ducklake.spark.moving.iceberg

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal

import java.nio.ByteBuffer
import java.util.UUID

import scala.collection.immutable.ArraySeq

/** Values in the Java classes of Iceberg's library as literals. */
private[iceberg] object IcebergValues {

  /** None when the class is not that of the type. */
  def literal(value: Object, lakeType: LakeType.Primitive): Option[Literal] =
    PartialFunction.condOpt((value, lakeType)) {
      case (bool: java.lang.Boolean, LakeType.Bool) => Literal.Bool(bool)
      case (days: Integer, LakeType.Date) => Literal.Date(days)
      case (whole: Integer, LakeType.Int32) => Literal.Integral(whole.toLong)
      case (whole: Integer, LakeType.Int64) => Literal.Integral(whole.toLong)
      case (whole: java.lang.Long, LakeType.Int64) => Literal.Integral(whole)
      case (micros: java.lang.Long, LakeType.Time) => Literal.Time(micros)
      case (
            ticks: java.lang.Long,
            LakeType.Timestamp | LakeType.TimestampTz | LakeType.TimestampNs,
          ) =>
        Literal.Timestamp(ticks)
      case (float: java.lang.Float, LakeType.Float32 | LakeType.Float64) =>
        Literal.Floating(float.toDouble)
      case (double: java.lang.Double, LakeType.Float64) => Literal.Floating(double)
      case (decimal: java.math.BigDecimal, LakeType.Decimal(_, scale)) =>
        Literal.Dec(decimal.setScale(scale))
      case (text: CharSequence, LakeType.Varchar) => Literal.Text(text.toString)
      case (uuid: UUID, LakeType.Uuid) => Literal.Uuid(uuid)
      case (bytes: ByteBuffer, LakeType.Blob) =>
        val copy = new Array[Byte](bytes.remaining)
        bytes.duplicate().get(copy): Unit
        Literal.Bytes(ArraySeq.unsafeWrapArray(copy))
    }
}
