package ducklake.spark.extension.stream

import ducklake.spark.rowlevel.PositionDelta
import ducklake.spark.rowlevel.PositionDeltaWrite
import ducklake.spark.streaming.upsert.UpsertEpoch
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.JoinedRow
import org.apache.spark.sql.catalyst.expressions.Predicate
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.write.DeltaWriter
import org.apache.spark.sql.types.StructType

/** Merges the few rows of an epoch on the driver: it pairs them with the rows of the table that have
  * their keys, and writes the changes. A statement of Spark would shuffle both sides for a join.
  *
  * @param operation has the scan of the rows that are there
  */
private[stream] final class DriverMerge(
    epoch: UpsertEpoch,
    rows: EpochRows,
    known: KnownRows,
    operation: PositionDelta,
) {

  private val rules = new MergeRules(epoch)
  private val columns = DataTypeUtils.fromAttributes(rows.columns)
  private val isDeleted = columns.fieldIndex(EpochRows.Deleted)

  /** False when Spark has to do it: rows are sorted or distributed for the table, or are many. */
  def isDone: Boolean = {
    val done = for {
      write <- operation.driverWrite
      incoming <- rows.collected
      keyed = incoming.map(row => keyIn(columns)(row).copy() -> row)
      found <- known.of(keyed.map(_._1).toSet)
    } yield merge(keyed, found, write)
    done.nonEmpty
  }

  private def merge(
      incoming: Vector[(UnsafeRow, InternalRow)],
      found: Vector[InternalRow],
      write: PositionDeltaWrite,
  ): Unit = {
    val keyOf = keyIn(known.columns)
    val byKey = found.groupBy(keyOf(_).copy())
    write.writeOnDriver { writer =>
      incoming.foreach { case (key, row) =>
        byKey.get(key) match {
          case Some(there) => there.foreach(replace(writer, row, _))
          case None => if (!row.getBoolean(isDeleted)) writer.insert(inserted(row))
        }
      }
    }
  }

  private def replace(
      writer: DeltaWriter[InternalRow],
      row: InternalRow,
      old: InternalRow,
  ): Unit = {
    val both = joined(row, old)
    if (isNewer.forall(_.eval(both))) {
      if (row.getBoolean(isDeleted)) writer.delete(metadata(old), id(old))
      else writer.update(metadata(old), id(old), updated(both))
    }
  }

  private def keyIn(schema: StructType): UnsafeProjection =
    KeySearch.keyOf(schema, epoch.upsert.keys.map(schema.fieldIndex))

  private val joined = new JoinedRow
  private val isNewer = rules.isNewer(ofRow, ofOld).map(Predicate.createInterpreted)
  private val inserted = UnsafeProjection.create(rules.columns.map(ofRow))
  private val updated = UnsafeProjection.create(rules.columns.map { name =>
    if (rules.kept.contains(name)) ofOld(name) else ofRow(name)
  })
  private val id = hidden(operation.rowId())
  private val metadata = hidden(operation.requiredMetadataAttributes())

  private def hidden(names: Array[NamedReference]): UnsafeProjection =
    UnsafeProjection.create(names.toVector.map { name =>
      column(known.columns, name.fieldNames.mkString, before = 0)
    })

  /** A column in [[joined]]. */
  private def ofRow(name: String): Expression = column(columns, name, before = 0)

  private def ofOld(name: String): Expression = column(known.columns, name, columns.length)

  private def column(schema: StructType, name: String, before: Int): Expression = {
    val ordinal = schema.fieldIndex(name)
    BoundReference(before + ordinal, schema(ordinal).dataType, schema(ordinal).nullable)
  }
}
