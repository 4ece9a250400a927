package ducklake.spark.parquet.vector

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.*
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.unsafe.types.VariantVal
import org.scalatest.funsuite.AnyFunSuite

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.ObjectInputStream
import java.io.ObjectOutputStream

final class PackedRowsSpec extends AnyFunSuite {

  private def sent(rows: PackedRows): PackedRows = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(rows)
    out.close()
    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject() match {
      case arrived: PackedRows => arrived
      case other => fail(s"$other arrived")
    }
  }

  private val letters = PackedRows.of(
    Iterator("a", "bb", "", "d" * 100).map(text => InternalRow(UTF8String.fromString(text))),
    Vector(StringType),
  )

  test("rows arrive in their order, any stretch of them") {
    val arrived = sent(letters)

    def texts(from: Int, until: Int) = arrived.rows(from, until).map(_.getString(0)).toVector
    assert(arrived.size == 4)
    assert(texts(0, 4) == Vector("a", "bb", "", "d" * 100))
    assert(texts(1, 3) == Vector("bb", ""))
    assert(texts(4, 4).isEmpty)
  }

  test("values of every shape arrive, and NULLs") {
    val wide = DecimalType(38, 2)
    val fields = StructType(Array(StructField("x", IntegerType), StructField("y", StringType)))
    val types =
      Vector(BooleanType, ByteType, DoubleType, wide, TimeType(6), ArrayType(fields), VariantType)
    val number = Decimal(new java.math.BigDecimal("123456789012345678901234567890.12"), 38, 2)
    val list = new GenericArrayData(Array[Any](InternalRow(1, UTF8String.fromString("é")), null))
    val variant = new VariantVal(Array[Byte](12, 5), Array[Byte](1, 0, 0))
    val row = InternalRow(true, 7.toByte, -0.5, number, 86399999999000L, list, variant)
    val none = InternalRow.fromSeq(types.map(_ => null))

    val arrived = sent(PackedRows.of(Iterator(row, none), types)).rows(0, 2)

    val first = arrived.next()
    assert(first.getBoolean(0) && first.getByte(1) == 7 && first.getDouble(2) == -0.5)
    assert(first.getDecimal(3, 38, 2) == number && first.getLong(4) == 86399999999000L)
    val items = first.getArray(5)
    assert(items.getStruct(0, 2).getString(1) == "é" && items.isNullAt(1))
    assert(first.getVariant(6) == variant)
    val second = arrived.next()
    assert(types.indices.forall(second.isNullAt))
  }
}
