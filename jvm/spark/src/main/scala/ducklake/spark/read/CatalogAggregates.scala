package ducklake.spark.read

import ducklake.catalog.listing.ColumnSummary
import ducklake.catalog.model.LakeTable
import ducklake.catalog.partition.Transform
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.read.aggregate.FileAggregate
import ducklake.spark.read.aggregate.FileAggregates
import ducklake.spark.read.statistics.ScanSize
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.types.ChosenTypes
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

/** Aggregates that were answered without opening a file. Spark's plans show only the names of the
  * fields, so the names contain the aggregate and the snapshot.
  */
final case class CatalogAnswer(schema: StructType, rows: Vector[Vector[Any]])

/** Answers `count(*)`, `count(c)`, `min(c)` and `max(c)` from the catalog, where it is exact: of the
  * whole table, and by [[aggregate.FileAggregates]] of the rows that meet filters, or by partition
  * keys.
  */
object CatalogAggregates {

  private final case class Cell(dataType: DataType, value: Any)

  /** The answer; None when the rows must be read.
    *
    * @param predicates are true for exactly the rows that count
    */
  def answer(
      table: TableAtSnapshot,
      aggregation: Aggregation,
      predicates: Vector[Predicate],
  ): Option[CatalogAnswer] =
    if (aggregation.groupByExpressions().nonEmpty || predicates.nonEmpty)
      ofFiles(table, aggregation, predicates)
    else ofTable(table, aggregation.aggregateExpressions().toVector)

  private def ofTable(
      table: TableAtSnapshot,
      functions: Vector[AggregateFunc],
  ): Option[CatalogAnswer] = {
    val source = new Source(table, functions)
    val cells = functions.map(cell(source, _))
    Option.when(cells.nonEmpty && cells.forall(_.isDefined)) {
      val known = cells.flatten
      val fields = functions.zip(known).map { case (function, cell) =>
        field(table, function.describe(), cell.dataType)
      }
      CatalogAnswer(StructType(fields.toArray), Vector(known.map(_.value)))
    }
  }

  private def ofFiles(
      table: TableAtSnapshot,
      aggregation: Aggregation,
      predicates: Vector[Predicate],
  ): Option[CatalogAnswer] = {
    val keys = aggregation.groupByExpressions().toVector
    val functions = aggregation.aggregateExpressions().toVector
    val groups = keys.flatMap(groupOf(table.table, _))
    val wanted = functions.flatMap(aggregateOf(table.table, _))
    if (groups.length < keys.length || wanted.length < functions.length) None
    else
      new FileAggregates(groups, wanted).rows(table, predicates).map { rows =>
        val columns = groups.map(group => Some(group._1)) ++ wanted.map {
          case FileAggregate.Least(column, _) => Some(column)
          case FileAggregate.Greatest(column, _) => Some(column)
          case FileAggregate.Rows | FileAggregate.Values(_) => None
        }
        val types =
          columns.map(_.fold[DataType](LongType)(SparkTypes.of(_, table.session.timeRule)))
        val names = (keys ++ functions).map(_.describe())
        val fields = names.zip(types).map { case (name, kind) => field(table, name, kind) }
        CatalogAnswer(
          StructType(fields.toArray),
          rows.map(_.zip(columns.zip(types)).map { case (value, (column, kind)) =>
            shown(value, column, kind)
          }),
        )
      }
  }

  private def field(table: TableAtSnapshot, what: String, dataType: DataType): StructField =
    StructField(
      s"$what of ${table.name} at snapshot ${table.version}, from the catalog",
      dataType,
    )

  private def shown(value: Literal, column: Option[Column], dataType: DataType): Any =
    (value, column) match {
      case (Literal.Integral(count), None) => count
      case (known, Some(of)) => SparkValues.internal(known, of, dataType)
      case (other, None) => throw new IllegalStateException(s"$other is no count")
    }

  /** A column that is an identity key of the table's partitions. */
  private def groupOf(
      table: LakeTable,
      expression: Expression,
  ): Option[(Column, LakeType.Primitive)] =
    for {
      column <- columnOf(table, expression)
      kind <- comparable(column) if ChosenTypes.of(column).isEmpty
      spec <- table.partition
      _ <- spec.keys.find(key => key.column == column.id && key.transform == Transform.Identity)
    } yield column -> kind

  private def aggregateOf(table: LakeTable, function: AggregateFunc): Option[FileAggregate] =
    function match {
      case _: CountStar => Some(FileAggregate.Rows)
      case count: Count if !count.isDistinct =>
        columnOf(table, count.column()).filter(comparable(_).isDefined).map(FileAggregate.Values(_))
      case min: Min =>
        columnOf(table, min.column()).flatMap(c => comparable(c).map(FileAggregate.Least(c, _)))
      case max: Max =>
        columnOf(table, max.column()).flatMap(c => comparable(c).map(FileAggregate.Greatest(c, _)))
      case _ => None
    }

  private def columnOf(table: LakeTable, expression: Expression): Option[Column] =
    expression match {
      case reference: NamedReference if reference.fieldNames().length == 1 =>
        val name = reference.fieldNames().head
        table.columns.find(_.name == name).filter(_.children.isEmpty)
      case _ => None
    }

  /** The type; None for types whose values Spark orders differently from the stored values. */
  private def comparable(column: Column): Option[LakeType.Primitive] =
    column.dataType match {
      case LakeType.TimestampTzNs | LakeType.NullType => None
      case LakeType.TimestampNs | LakeType.Time | LakeType.TimeNs | LakeType.TimeTz |
          LakeType.Interval | LakeType.Blob | LakeType.Variant | LakeType.Geometry(_) |
          LakeType.Unknown(_) =>
        None
      case _: LakeType.Nested => None
      case primitive: LakeType.Primitive => Some(primitive)
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

    private lazy val hasAdded = table.snapshot.hadRegisteredFiles(table.table)

    def liveRows: Option[Long] = Option.when(counts.isExact)(counts.liveRows)

    def column(expression: Expression): Option[Column] = columnOf(table.table, expression)

    private def summary(column: Column): Option[ColumnSummary] =
      comparable(column).flatMap(_ => summaries.get(column.id))

    /** DuckDB believes the bounds of added files, but counts their rows itself. */
    def nonNull(column: Column): Option[Long] =
      for {
        known <- if (hasAdded) None else summary(column)
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
  }
}

/** A scan that returns aggregates from the catalog, without a Spark job. */
final class AggregatePushDownScan(table: TableAtSnapshot, answer: CatalogAnswer)
    extends LocalScan
    with SupportsReportStatistics {

  override def readSchema(): StructType = answer.schema

  override def rows(): Array[InternalRow] =
    answer.rows.map(row => new GenericInternalRow(row.toArray): InternalRow).toArray

  override def description(): String =
    s"${table.name} snapshot ${table.version} [answered from the catalog]"

  /** Spark would treat a scan without statistics as endless, and not broadcast the rows. */
  override def estimateStatistics(): Statistics =
    ScanSize.ofRows(answer.rows.length.toLong, answer.schema)
}
