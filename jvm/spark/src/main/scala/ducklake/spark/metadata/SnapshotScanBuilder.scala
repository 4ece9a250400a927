package ducklake.spark.metadata

import ducklake.catalog.model.SnapshotOrder
import ducklake.catalog.model.SnapshotRequest
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import ducklake.spark.predicate.SparkPredicates
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.SortDirection
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.expressions.filter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.read.SupportsPushDownLimit
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns
import org.apache.spark.sql.connector.read.SupportsPushDownTopN
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters
import org.apache.spark.sql.types.StructType

import java.time.Instant
import java.time.temporal.ChronoUnit

/** Lets the catalog choose snapshots: by conditions on `snapshot_id` and `snapshot_time`, by a
  * limit, and by a limit in the order of `snapshot_id`. A lake may have millions of snapshots.
  */
private[metadata] final class SnapshotScanBuilder(tableName: String, all: SnapshotListing)
    extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownV2Filters
    with SupportsPushDownLimit
    with SupportsPushDownTopN {
  import SnapshotScanBuilder.*

  // Spark sets what it needs, then builds the scan.
  private var required: StructType = all.schema
  private var pushed = Array.empty[filter.Predicate]
  private var bounds = Vector.empty[Predicate.Compare]
  private var order: SnapshotOrder = SnapshotOrder.OldestFirst
  private var limit = Option.empty[Int]

  override def pruneColumns(schema: StructType): Unit = required = schema

  /** Returns all filters except comparisons of ids: the catalog may find more snapshots by their
    * times.
    */
  override def pushPredicates(predicates: Array[filter.Predicate]): Array[filter.Predicate] = {
    val known = predicates.flatMap(predicate => bound(predicate).map(predicate -> _))
    pushed = known.map { case (predicate, _) => predicate }
    bounds = known.map { case (_, comparison) => comparison }.toVector
    predicates.filterNot(bound(_).exists(_.column == Id))
  }

  override def pushedPredicates(): Array[filter.Predicate] = pushed

  override def pushLimit(limit: Int): Boolean = {
    this.limit = Some(limit)
    true
  }

  override def pushTopN(orders: Array[SortOrder], limit: Int): Boolean =
    orders match {
      case Array(one) if isById(one) =>
        this.limit = Some(limit)
        order = one.direction match {
          case SortDirection.ASCENDING => SnapshotOrder.OldestFirst
          case SortDirection.DESCENDING => SnapshotOrder.NewestFirst
        }
        true
      case _ => false
    }

  override def isPartiallyPushed(): Boolean = true

  override def build(): Scan = {
    val conditions = (request: SnapshotRequest) => bounds.foldLeft(request)(narrowed)
    val found = all.narrowed(conditions.andThen(_.copy(order = order)), limit, required)
    new LocalResultScan(tableName, found)
  }
}

private object SnapshotScanBuilder {
  private val Id = ColumnId(1)
  private val Time = ColumnId(2)

  private val filters = new SparkPredicates(
    Vector(
      column(Id, "snapshot_id", LakeType.Int64),
      column(Time, "snapshot_time", LakeType.TimestampTz),
    )
  )

  private def column(id: ColumnId, name: String, lakeType: LakeType): Column =
    Column(id, name, lakeType, nullsAllowed = true, None, None, None, Vector.empty)

  private def isById(order: SortOrder): Boolean = order.expression match {
    case reference: NamedReference =>
      reference.fieldNames.sameElements(Array("snapshot_id"))
    case _ => false
  }

  /** The condition, when it bounds the ids or the times of snapshots on one side or on both. */
  private def bound(predicate: filter.Predicate): Option[Predicate.Compare] =
    filters.translate(predicate).collect {
      case compare: Predicate.Compare if compare.operator != Comparison.NotEqual => compare
    }

  private def narrowed(request: SnapshotRequest, condition: Predicate.Compare): SnapshotRequest = {
    val (least, most) = condition.operator match {
      case Comparison.Equal => (Some(0L), Some(0L))
      case Comparison.Less => (None, Some(-1L))
      case Comparison.LessOrEqual => (None, Some(0L))
      case Comparison.Greater => (Some(1L), None)
      case Comparison.GreaterOrEqual => (Some(0L), None)
      case Comparison.NotEqual => (None, None)
    }
    condition.value match {
      case Literal.Integral(id) if condition.column == Id =>
        val first =
          (request.first ++ least.map(step => SnapshotId(shifted(id, step)))).maxByOption(_.value)
        val last =
          (request.last ++ most.map(step => SnapshotId(shifted(id, step)))).minByOption(_.value)
        request.copy(first = first, last = last)
      case Literal.Timestamp(micros) if condition.column == Time =>
        val at = Instant.EPOCH.plus(micros, ChronoUnit.MICROS)
        request.copy(
          since = (request.since ++ least.map(_ => at)).maxOption,
          until = (request.until ++ most.map(_ => at)).minOption,
        )
      case _ => request
    }
  }

  /** Ids never reach the largest number, so nothing is lost at the ends. */
  private def shifted(id: Long, step: Long): Long =
    if (step > 0 && id == Long.MaxValue || step < 0 && id == Long.MinValue) id else id + step
}
