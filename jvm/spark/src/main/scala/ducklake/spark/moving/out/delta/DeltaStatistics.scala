package ducklake.spark.moving.out.delta

import com.fasterxml.jackson.databind.node.ObjectNode
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeTraits

import java.time.Instant
import java.time.LocalDate
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter

/** The statistics of a data file as the JSON of Delta. Bounds are left out where they are not exact:
  * readers answer MIN and MAX of numbers and dates from them. Those of times are whole milliseconds,
  * as Delta's own, and the maximum of texts may be greater than all of them.
  *
  * Source: Delta's protocol, "Per-file Statistics".
  */
private[delta] final class DeltaStatistics(plan: DeltaPlan, columns: Vector[Column]) {
  import DeltaStatistics.*

  /** The fields that have statistics: those outside of lists and maps, as many as Delta takes. */
  private val fields =
    columns.flatMap(leaves(_, Vector.empty)).take(DeltaStatistics.Columns)

  /** @param hasDeletes whether rows of the file are deleted, also those with the bounds */
  def of(
      rows: Long,
      hasDeletes: Boolean,
      known: Map[ColumnId, ColumnStatistics],
  ): String = {
    val node = DeltaJson.empty().put("numRecords", rows)
    val (least, greatest) = (node.putObject("minValues"), node.putObject("maxValues"))
    val nulls = node.putObject("nullCount")
    for {
      Field(path, column, leaf) <- fields
      found <- known.get(column)
    } {
      if (TypeTraits.of(leaf).hasTrueCounts)
        found.nullCount.foreach(count => parent(nulls, path).put(path.last, count))
      for {
        min <- found.min if hasExact(leaf, found)
        max <- found.max
        if put(parent(least, path), path.last, min, leaf, isMax = false)
      } put(parent(greatest, path), path.last, max, leaf, isMax = true): Unit
    }
    node.put("tightBounds", !hasDeletes).toString
  }

  private def leaves(column: Column, above: Vector[String]): Vector[Field] = {
    val path = above ++ plan.physical.get(column.id)
    column.dataType match {
      case leaf: LakeType.Primitive => Vector(Field(path, column.id, leaf))
      case LakeType.StructType => column.children.flatMap(leaves(_, path))
      case LakeType.ListType | LakeType.MapType => Vector.empty
    }
  }

  private def parent(root: ObjectNode, path: Vector[String]): ObjectNode =
    path.init.foldLeft(root)(_.withObjectProperty(_))

  private def hasExact(leaf: LakeType.Primitive, found: ColumnStatistics): Boolean =
    TypeTraits.haveExactBounds(leaf) && (leaf match {
      case LakeType.Float32 | LakeType.Float64 => found.containsNan.contains(false)
      case LakeType.Varchar => found.hasShortTexts
      case _ => true
    })

  /** Whether the bound has a form in JSON. */
  private def put(
      node: ObjectNode,
      name: String,
      bound: Literal,
      leaf: LakeType.Primitive,
      isMax: Boolean,
  ): Boolean = (bound, leaf) match {
    case (Literal.Integral(value), _) =>
      node.put(name, value)
      true
    case (Literal.BigIntegral(value), _) =>
      node.put(name, new java.math.BigDecimal(value.bigInteger))
      true
    case (Literal.Dec(value), _) =>
      node.put(name, value)
      true
    case (Literal.Floating(value), _) if !value.isNaN && !value.isInfinite =>
      node.put(name, value)
      true
    case (Literal.Text(value), _) =>
      node.put(name, value)
      true
    case (Literal.Date(days), _) if isUsual(days * MillisOfDay) =>
      node.put(name, LocalDate.ofEpochDay(days.toLong).toString)
      true
    case (Literal.Timestamp(micros), _) =>
      // Bounds have milliseconds only.
      val millis = if (isMax) -Math.floorDiv(-micros, 1000L) else Math.floorDiv(micros, 1000L)
      val time = Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC)
      if (isUsual(millis))
        node.put(name, time.format(if (leaf == LakeType.TimestampTz) instants else locals))
      isUsual(millis)
    case _ => false
  }
}

private[delta] object DeltaStatistics {

  /** A leaf with its path of names in files. */
  private final case class Field(path: Vector[String], column: ColumnId, leaf: LakeType.Primitive)

  /** As many as Delta's own writers count by default. */
  private val Columns = 32

  private val MillisOfDay = 86400000L

  private val first = Instant.parse("0001-01-02T00:00:00Z").toEpochMilli
  private val last = Instant.parse("9999-12-30T00:00:00Z").toEpochMilli

  /** Whether the year has four digits in every time zone. */
  private def isUsual(millis: Long): Boolean = first <= millis && millis <= last

  private val locals = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS")
  private val instants = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSXXX")
}
