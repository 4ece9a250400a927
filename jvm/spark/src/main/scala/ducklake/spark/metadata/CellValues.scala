package ducklake.spark.metadata

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.unsafe.types.UTF8String

import java.time.Instant
import java.time.temporal.ChronoUnit

/** Converts plain Scala values to Spark's internal values: text, numbers, instants, options, lists,
  * maps.
  */
object CellValues {

  def toRow(values: Vector[Any]): InternalRow =
    new GenericInternalRow(values.map(toSpark).toArray)

  private def toSpark(value: Any): Any =
    value match {
      case None => Option.empty[AnyRef].orNull
      case Some(inner) => toSpark(inner)
      case text: String => UTF8String.fromString(text)
      case instant: Instant => ChronoUnit.MICROS.between(Instant.EPOCH, instant)
      case uuid: java.util.UUID => UTF8String.fromString(uuid.toString)
      case items: Vector[?] => new GenericArrayData(items.map(toSpark).toArray)
      case entries: Map[?, ?] =>
        val pairs = entries.toVector
        new ArrayBasedMapData(
          new GenericArrayData(pairs.map(p => toSpark(p._1)).toArray),
          new GenericArrayData(pairs.map(p => toSpark(p._2)).toArray),
        )
      case other => other
    }
}
