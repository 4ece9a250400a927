package ducklake.spark.parquet.read

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.testkit.PagedFile
import ducklake.spark.testkit.TaskRows.column
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.NanoTime
import org.apache.parquet.io.api.Binary

import java.math.BigDecimal as JavaDecimal
import java.math.BigInteger
import java.nio.file.Path

import scala.util.Random

/** A table with a column of each type that filters test, and its files. */
private[read] object KeyFiles {

  val Rows: Int = 8000

  /** A column of the file.
    *
    * @param stored its type in the file
    * @param value of a row, from random numbers of the row and column
    */
  private final case class Field(
      name: String,
      stored: String,
      lakeType: LakeType,
      value: Random => Literal,
  )

  private val specialFloats =
    Vector(Double.NaN, 0.0, -0.0, Double.PositiveInfinity, Double.NegativeInfinity)

  private def floating(chance: Random, number: => Double): Literal =
    Literal.Floating(
      if (chance.nextInt(20) == 0) specialFloats(chance.nextInt(specialFloats.length)) else number
    )

  private def decimal(unscaled: BigInteger, scale: Int): Literal =
    Literal.Dec(new JavaDecimal(unscaled, scale))

  private val micros = 1000000L

  private val fields: Vector[Field] = Vector(
    Field("i32", "int32 i32", LakeType.Int32, c => Literal.Integral(c.nextInt().toLong)),
    Field("i64", "int64 i64", LakeType.Int64, c => Literal.Integral(c.nextLong())),
    Field(
      "f",
      "float f",
      LakeType.Float32,
      c => floating(c, (c.nextFloat() * 1000f - 500f).toDouble),
    ),
    Field("d", "double d", LakeType.Float64, c => floating(c, c.nextDouble() * 1000 - 500)),
    Field("b", "boolean b", LakeType.Bool, c => Literal.Bool(c.nextInt(400) == 0)),
    Field("day", "int32 day (DATE)", LakeType.Date, c => Literal.Date(c.nextInt(60000) - 30000)),
    Field(
      "ts",
      "int64 ts (TIMESTAMP(MICROS,false))",
      LakeType.Timestamp,
      c => Literal.Timestamp((c.nextInt().toLong * 1000 + c.nextInt(1000)) * 1000),
    ),
    Field(
      "tz",
      "int64 tz (TIMESTAMP(MICROS,true))",
      LakeType.TimestampTz,
      c => Literal.Timestamp(c.nextInt().toLong * micros),
    ),
    Field("t96", "int96 t96", LakeType.Timestamp, c => Literal.Timestamp(c.nextInt() * micros)),
    Field(
      "dec9",
      "int32 dec9 (DECIMAL(9,2))",
      LakeType.Decimal(9, 2),
      c => decimal(BigInteger.valueOf(c.nextInt(1999999999).toLong % 1000000000L - 500000000L), 2),
    ),
    Field(
      "dec18",
      "int64 dec18 (DECIMAL(18,3))",
      LakeType.Decimal(18, 3),
      c => decimal(BigInteger.valueOf(c.nextLong() % 1000000000000000000L), 3),
    ),
    Field(
      "dec38",
      "fixed_len_byte_array(16) dec38 (DECIMAL(38,4))",
      LakeType.Decimal(38, 4),
      c => decimal(new BigInteger(120, c.self).subtract(BigInteger.TWO.pow(119)), 4),
    ),
    Field(
      "fixed",
      "fixed_len_byte_array(4) fixed (DECIMAL(8,1))",
      LakeType.Decimal(8, 1),
      c => decimal(BigInteger.valueOf(c.nextInt().toLong % 100000000L), 1),
    ),
    Field(
      "s",
      "binary s (STRING)",
      LakeType.Varchar,
      c =>
        Literal.Text(Integer.toString(c.nextInt(), 36) + (if (c.nextBoolean()) "é\u0000" else "")),
    ),
    Field(
      "few",
      "binary few (STRING)",
      LakeType.Varchar,
      c => Literal.Text(if (c.nextInt(1000) == 0) s"rare ${c.nextInt(3)}" else s"${c.nextInt(9)}"),
    ),
    Field(
      "small",
      "int32 small (INTEGER(8,true))",
      LakeType.Int8,
      c => Literal.Integral((c.nextInt(256) - 128).toLong),
    ),
  )

  /** The columns in no order. */
  val columns: Vector[Column] = fields.zipWithIndex.map { case (field, index) =>
    column(index + 1L, field.name, field.lakeType)
  }

  /** Ascends. */
  val seq: Column = column(50, "seq", LakeType.Int64)

  /** No filter tests it. */
  val payload: Column = column(51, "payload", LakeType.Varchar)
  val added: Column = column(52, "added", LakeType.Int64, initialDefault = Some("7"))

  val list: Column =
    column(53, "l", LakeType.ListType, Vector(column(54, "element", LakeType.Int64)))

  /** The value of a column in a row; Null in one of twenty. */
  def value(columnIndex: Int, row: Int): Literal = {
    val chance = new Random(columnIndex * 1000003L + row * 7919L)
    val _ = chance.nextLong()
    if (chance.nextInt(20) == 0) Literal.Null else fields(columnIndex).value(chance)
  }

  private val schema: String = fields.zipWithIndex
    .map { case (field, index) => s"optional ${field.stored} = ${index + 1};" }
    .mkString(
      "message t { ",
      " ",
      """ optional int64 seq = 50; optional binary payload (STRING) = 51;
        | optional group l (LIST) = 53 { repeated group list { optional int64 element = 54; } } }""".stripMargin,
    )

  /** @param distinct the number of values in each column. With few values all pages have
    *   dictionaries
    */
  def write(file: Path, layout: PagedFile.Layout, distinct: Int = Rows): Path =
    PagedFile.write(file, schema, Rows, layout) { (group, number) =>
      val row = number * distinct / Rows
      fields.indices.foreach(index => add(group, fields(index), value(index, number % distinct)))
      val chance = new Random(row.toLong)
      val list = group.append("seq", row.toLong).addGroup("l")
      (0 until chance.nextInt(4)).foreach { element =>
        list.addGroup("list").append("element", row * 10L + element): Unit
      }
      group.append("payload", chance.alphanumeric.take(150).mkString)
    }

  private def add(group: Group, field: Field, value: Literal): Unit =
    value match {
      case Literal.Bool(truth) => group.add(field.name, truth)
      case Literal.Integral(number) if field.stored.startsWith("int64") =>
        group.add(field.name, number)
      case Literal.Integral(number) => group.add(field.name, number.toInt)
      case Literal.Floating(number) if field.name == "f" => group.add(field.name, number.toFloat)
      case Literal.Floating(number) => group.add(field.name, number)
      case Literal.Date(days) => group.add(field.name, days)
      case Literal.Timestamp(ticks) if field.name == "t96" =>
        val day = Math.floorDiv(ticks, 86400L * micros)
        val nanos = Math.floorMod(ticks, 86400L * micros) * 1000
        group.add(field.name, new NanoTime(day.toInt + 2440588, nanos))
      case Literal.Timestamp(ticks) => group.add(field.name, ticks)
      case Literal.Dec(number) if field.stored.startsWith("int32") =>
        group.add(field.name, number.unscaledValue.intValue)
      case Literal.Dec(number) if field.stored.startsWith("int64") =>
        group.add(field.name, number.unscaledValue.longValue)
      case Literal.Dec(number) =>
        val width = if (field.name == "fixed") 4 else 16
        val digits = number.unscaledValue.toByteArray
        val sign: Byte = if (digits.head < 0) -1 else 0
        val bytes = Array.fill[Byte](width - digits.length)(sign) ++ digits
        group.add(field.name, Binary.fromConstantByteArray(bytes))
      case Literal.Text(text) => group.add(field.name, text)
      case _ => ()
    }
}
