package ducklake.catalog.change.statistics

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.Literal
import org.scalatest.funsuite.AnyFunSuite

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.ObjectInputStream
import java.io.ObjectOutputStream
import java.util.UUID

import scala.collection.immutable.ArraySeq

class PackedStatisticsSpec extends AnyFunSuite {

  private def known(min: Option[Literal], max: Option[Literal]): ColumnStatistics =
    ColumnStatistics(min, max, Some(10L), Some(0L), None, Some(99L))

  private val bounds = Vector[Literal](
    Literal.Bool(true),
    Literal.Integral(Long.MinValue),
    Literal.BigIntegral(-(BigInt(1) << 126)),
    Literal.Floating(-0.0),
    Literal.Floating(Double.NaN),
    Literal.Dec(new java.math.BigDecimal("-12.340")),
    Literal.Text("zürich \u0000 😀"),
    Literal.Bytes(ArraySeq(0.toByte, -1.toByte)),
    Literal.Uuid(UUID.fromString("00000000-0000-7000-8000-00000000000f")),
    Literal.Date(Int.MaxValue),
    Literal.Time(86399999999L),
    Literal.TimeTz(1L, -3600),
    Literal.Timestamp(-1L),
  )

  private val statistics: Map[ColumnId, ColumnStatistics] =
    bounds.zipWithIndex.map { case (bound, index) =>
      ColumnId(index.toLong) -> known(Some(bound), Some(bound))
    }.toMap ++ Map(
      ColumnId(100) -> known(None, None),
      ColumnId(101) -> ColumnStatistics(None, None, None, None, Some(true), None),
      ColumnId(102) -> ColumnStatistics(None, None, None, Some(3L), Some(false), None),
      ColumnId(103) -> known(Some(Literal.Text("a")), None).copy(minIsValue = true),
      ColumnId(104) -> known(None, Some(Literal.Text("z"))).copy(maxIsValue = true),
    )

  /** Values are compared by their texts, because NaN equals nothing. */
  private def shown(of: Map[ColumnId, ColumnStatistics]): Vector[String] =
    of.toVector.sortBy(_._1.value).map(_.toString)

  test("statistics come back as they were, of every type") {
    val packed = PackedStatistics.of(statistics)

    assert(packed.isInstanceOf[PackedStatistics])
    assert(shown(packed) == shown(statistics))
    assert(shown(PackedStatistics.unpacked(packed)) == shown(statistics))
    assert(packed.get(ColumnId(103)) == statistics.get(ColumnId(103)))
    assert(packed.get(ColumnId(105)).isEmpty)
    assert(packed.size == statistics.size)
  }

  test("they can be sent from a task to the driver") {
    val packed = PackedStatistics.of(statistics)
    val bytes = new ByteArrayOutputStream()
    val out = new ObjectOutputStream(bytes)
    out.writeObject(packed)
    out.close()

    val received = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()

    assert(received match {
      case map: PackedStatistics => shown(map) == shown(statistics)
      case _ => false
    })
  }

  test("changed statistics are objects again") {
    val packed = PackedStatistics.of(Map(ColumnId(1) -> known(None, None)))

    assert((packed - ColumnId(1)).isEmpty)
    assert(packed.updated(ColumnId(2), known(None, None)).keySet == Set(ColumnId(1), ColumnId(2)))
  }

  test("bounds of a type that has none are kept as objects") {
    val odd = Map(ColumnId(1) -> known(Some(Literal.Interval(1, 2, 3L)), None))

    assert(PackedStatistics.of(odd) eq odd)
  }
}
