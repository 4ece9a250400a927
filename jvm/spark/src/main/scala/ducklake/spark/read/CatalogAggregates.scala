package ducklake.spark.read

import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.read.FileListing
import ducklake.catalog.read.FileRequest
import ducklake.catalog.types.ExactBounds
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.types.SparkTypes
import ducklake.spark.types.SparkValues
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.expressions.aggregate.Count
import org.apache.spark.sql.connector.expressions.aggregate.CountStar
import org.apache.spark.sql.connector.expressions.aggregate.Max
import org.apache.spark.sql.connector.expressions.aggregate.Min
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** One row of aggregates that were answered without opening a file. Spark's plans show only the
  * names of the fields, so the names contain the aggregate and the snapshot.
  */
final case class CatalogAnswer(schema: StructType, values: Vector[Any])

/** Answers `count(*)`, `count(c)`, `min(c)` and `max(c)` from the catalog, where it is exact. */
object CatalogAggregates {

  private final case class Cell(dataType: DataType, value: Any)

  /** The answer; None when the rows must be read. */
  def answer(
      table: TableAtSnapshot,
      aggregation: Aggregation,
      predicates: Vector[Predicate],
  ): Option[CatalogAnswer] = {
    val functions = aggregation.aggregateExpressions().toVector
    if (aggregation.groupByExpressions().nonEmpty || predicates.nonEmpty || functions.isEmpty) None
    else {
      val source = new Source(table, functions)
      val cells = functions.map(cell(source, _))
      Option.when(cells.forall(_.isDefined)) {
        val known = cells.flatten
        val place = s"of ${table.name} at snapshot ${table.version}, from the catalog"
        val fields = functions.zip(known).map { case (function, cell) =>
          StructField(s"${function.describe()} $place", cell.dataType)
        }
        CatalogAnswer(StructType(fields.toArray), known.map(_.value))
      }
    }
  }

  private def cell(source: Source, function: AggregateFunc): Option[Cell] =
    function match {
      case _: CountStar => source.liveRows.map(Cell(LongType, _))
      case count: Count if !count.isDistinct =>
        source.column(count.column()).flatMap(source.nonNull).map(Cell(LongType, _))
      case min: Min => source.column(min.column()).flatMap(source.bound(_, Smallest))
      case max: Max => source.column(max.column()).flatMap(source.bound(_, Largest))
      case _ => None
    }

  private sealed trait Side
  private case object Smallest extends Side
  private case object Largest extends Side

  /** What the catalog knows about one table. Each query runs at most once. */
  private final class Source(table: TableAtSnapshot, functions: Vector[AggregateFunc]) {

    private lazy val counts = table.snapshot.counts(table.table)

    private lazy val listing: FileListing = {
      val columns = functions.flatMap(_.children().toVector).flatMap(column)
      val request = FileRequest(Vector.empty, columns.map(_.id).toSet, Some(Vector.empty))
      table.snapshot.files(table.table, request)
    }

    def liveRows: Option[Long] = Option.when(counts.isExact)(counts.liveRows)

    def column(expression: Expression): Option[Column] =
      expression match {
        case reference: NamedReference if reference.fieldNames().length == 1 =>
          val name = reference.fieldNames().head
          table.table.columns.find(_.name == name).filter(_.children.isEmpty)
        case _ => None
      }

    /** File statistics of a column; None unless they describe exactly the rows that a scan returns.
      */
    private def exactStatistics(column: Column): Option[Vector[ColumnStatistics]] = {
      val files = listing.files
      val known = files.flatMap(f => listing.statistics.get(f.id).flatMap(_.get(column.id)))
      val isWhole = counts.isExact && listing.inlinedRows.isEmpty &&
        files.forall(f => LiveRows.atLeast(f) == f.recordCount)
      Option.when(isWhole && known.length == files.length)(known)
    }

    def nonNull(column: Column): Option[Long] =
      for {
        statistics <- exactStatistics(column)
        _ <- comparable(column)
        nulls = statistics.flatMap(_.nullCount)
        if nulls.length == statistics.length
        rows <- liveRows
      } yield rows - nulls.sum

    def bound(column: Column, side: Side): Option[Cell] = {
      val sparkType = SparkTypes.of(column, table.session.timeRule)
      for {
        primitive <- comparable(column)
        order <- LiteralOrder.of(primitive)
        statistics <- exactStatistics(column)
        present = statistics.filterNot(_.valueCount.contains(0L))
        bounds = present.flatMap(exact(_, primitive, side))
        if bounds.length == present.length
      } yield {
        val best: Literal = side match {
          case _ if bounds.isEmpty => Literal.Null
          case Smallest => bounds.min(order)
          case Largest => bounds.max(order)
        }
        Cell(sparkType, SparkValues.internal(best, column, sparkType))
      }
    }

    private def exact(
        statistics: ColumnStatistics,
        dataType: LakeType.Primitive,
        side: Side,
    ): Option[Literal] =
      side match {
        case Smallest => ExactBounds.min(statistics.min, dataType)
        case Largest => ExactBounds.max(statistics.max, statistics.containsNan, dataType)
      }

    /** The column's type; None for types of which Spark's values are ordered in another way than
      * the stored values.
      */
    private def comparable(column: Column): Option[LakeType.Primitive] =
      column.dataType match {
        case LakeType.TimestampNs | LakeType.Time | LakeType.TimeNs | LakeType.TimeTz |
            LakeType.Interval | LakeType.Blob | LakeType.Variant | LakeType.Geometry(_) |
            LakeType.Unknown(_) =>
          None
        case _: LakeType.Nested => None
        case primitive: LakeType.Primitive => Some(primitive)
      }
  }
}
