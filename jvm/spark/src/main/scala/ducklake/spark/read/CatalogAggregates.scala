package ducklake.spark.read

import ducklake.catalog.listing.ColumnSummary
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.spark.read.statistics.ScanSize
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.types.SparkTypes
import ducklake.spark.types.SparkValues
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.expressions.aggregate.Count
import org.apache.spark.sql.connector.expressions.aggregate.CountStar
import org.apache.spark.sql.connector.expressions.aggregate.Max
import org.apache.spark.sql.connector.expressions.aggregate.Min
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.SupportsReportStatistics
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

  /** The catalog's data about one table. Each query runs at most once. */
  private final class Source(table: TableAtSnapshot, functions: Vector[AggregateFunc]) {

    private lazy val counts = table.snapshot.counts(table.table)

    /** Empty unless the statistics of the files describe exactly the rows that a scan returns. A
      * merge may put later rows into files of the snapshot between the two reads, so the files are
      * counted again.
      */
    private lazy val summaries: Map[ColumnId, ColumnSummary] =
      if (!counts.isFilesAlone) Map.empty
      else {
        val columns = functions.flatMap(_.children().toVector).flatMap(column)
        val found = table.snapshot.columnSummaries(table.table, columns.map(_.id).toSet)
        if (table.snapshot.counts(table.table).isFilesAlone) found else Map.empty
      }

    def liveRows: Option[Long] = Option.when(counts.isExact)(counts.liveRows)

    def column(expression: Expression): Option[Column] =
      expression match {
        case reference: NamedReference if reference.fieldNames().length == 1 =>
          val name = reference.fieldNames().head
          table.table.columns.find(_.name == name).filter(_.children.isEmpty)
        case _ => None
      }

    private def summary(column: Column): Option[ColumnSummary] =
      if (isComparable(column)) summaries.get(column.id) else None

    def nonNull(column: Column): Option[Long] =
      for {
        known <- summary(column)
        nulls <- known.nulls
        rows <- liveRows
      } yield rows - nulls

    def bound(column: Column, side: Side): Option[Cell] = {
      val sparkType = SparkTypes.of(column, table.session.timeRule)
      for {
        known <- summary(column)
        best <- side match {
          case Smallest => known.min
          case Largest => known.max
        }
      } yield Cell(sparkType, SparkValues.internal(best, column, sparkType))
    }

    /** False for types whose values Spark orders differently from the stored values. */
    private def isComparable(column: Column): Boolean =
      column.dataType match {
        case LakeType.TimestampTzNs | LakeType.NullType => false
        case LakeType.TimestampNs | LakeType.Time | LakeType.TimeNs | LakeType.TimeTz |
            LakeType.Interval | LakeType.Blob | LakeType.Variant | LakeType.Geometry(_) |
            LakeType.Unknown(_) =>
          false
        case _: LakeType.Nested => false
        case _: LakeType.Primitive => true
      }
  }
}

/** A scan that returns aggregates from the catalog: one row, without a Spark job. */
final class AggregatePushDownScan(table: TableAtSnapshot, answer: CatalogAnswer)
    extends LocalScan
    with SupportsReportStatistics {

  override def readSchema(): StructType = answer.schema

  override def rows(): Array[InternalRow] = Array(new GenericInternalRow(answer.values.toArray))

  override def description(): String =
    s"${table.name} snapshot ${table.version} [answered from the catalog]"

  /** Spark would treat a scan without statistics as endless, and not broadcast the row. */
  override def estimateStatistics(): Statistics = ScanSize.ofRows(1, answer.schema)
}
