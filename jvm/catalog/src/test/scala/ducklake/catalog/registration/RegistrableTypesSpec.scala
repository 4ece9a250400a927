package ducklake.catalog.registration

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText
import org.scalatest.funsuite.AnyFunSuite

/** The expected pairs are those that DuckDB 1.5.5 registered. */
final class RegistrableTypesSpec extends AnyFunSuite {

  private val accepted: Vector[(String, Vector[String])] = Vector(
    "boolean" -> Vector("boolean"),
    "int8" -> Vector("int8"),
    "int16" -> Vector("int8", "int16", "uint8"),
    "int32" -> Vector("int8", "int16", "int32", "uint8", "uint16"),
    "int64" -> Vector("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"),
    "int128" -> Vector.empty,
    "uint8" -> Vector("uint8"),
    "uint16" -> Vector("uint8", "uint16"),
    "uint32" -> Vector("uint8", "uint16", "uint32"),
    "uint64" -> Vector("uint8", "uint16", "uint32", "uint64"),
    "uint128" -> Vector.empty,
    "float32" -> Vector("float32"),
    "float64" -> Vector("float32", "float64"),
    "date" -> Vector("date"),
    "time" -> Vector("time", "timetz"),
    "time_ns" -> Vector.empty,
    "timetz" -> Vector.empty,
    "timestamp" -> Vector("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns"),
    "timestamp_s" -> Vector("timestamp", "timestamp_s", "timestamp_ms"),
    "timestamp_ms" -> Vector("timestamp", "timestamp_s", "timestamp_ms"),
    "timestamp_ns" -> Vector("timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns"),
    "timestamptz" -> Vector("timestamptz", "timestamptz_ns"),
    "timestamptz_ns" -> Vector("timestamptz_ns"),
    "interval" -> Vector("interval"),
    "varchar" -> Vector("varchar"),
    "json" -> Vector("json"),
    "blob" -> Vector("blob"),
    "uuid" -> Vector("uuid"),
    "variant" -> Vector.empty,
  )

  private def primitive(text: String): LakeType.Primitive =
    TypeText.parse(text) match {
      case primitive: LakeType.Primitive => primitive
      case nested: LakeType.Nested => fail(s"$nested is nested")
    }

  test("a column accepts its own type and those that it can show without loss") {
    val files = accepted.map(_._1) :+ "decimal(5,2)"

    accepted.foreach { case (column, expected) =>
      val found = files.filter(f => RegistrableTypes.accepts(primitive(f), primitive(column)))
      assert(found.toSet == expected.toSet, column)
    }
  }

  test("a decimal column accepts decimals with no more digits on either side of the point") {
    val column = primitive("decimal(9,2)")
    val files = Vector("decimal(5,2)", "decimal(9,2)", "decimal(7,0)", "decimal(2,1)")
    val others =
      Vector("decimal(9,0)", "decimal(9,4)", "decimal(20,2)", "int32", "int8", "float64")

    assert(files.forall(file => RegistrableTypes.accepts(primitive(file), column)))
    assert(!others.exists(file => RegistrableTypes.accepts(primitive(file), column)))
  }
}
