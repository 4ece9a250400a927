package ducklake.spark.read

import ducklake.catalog.predicate.NormalForm
import ducklake.catalog.predicate.Predicate
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.predicate.SparkOrder
import ducklake.spark.predicate.SparkPredicates
import ducklake.spark.predicate.Untranslated
import ducklake.spark.read.top.TopRows
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.expressions.filter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates
import org.apache.spark.sql.connector.read.SupportsPushDownLimit
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns
import org.apache.spark.sql.connector.read.SupportsPushDownTopN
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Collects the columns and filters that Spark pushes down, and then builds an immutable scan.
  * Spark calls the builder from one thread.
  *
  * @param isRowLevel whether a row-level statement reads the rows in order to change them
  * @param stream opens the stream; the table gives it, because the room `streaming` stands above
  *   `read`
  * @param decided is true for exactly the rows that count, besides the filters that are pushed
  * @param built is called with the predicates of each scan that is built: its rows meet all of them
  */
final class DuckLakeScanBuilder(
    table: TableAtSnapshot,
    options: CaseInsensitiveStringMap,
    isRowLevel: Boolean,
    stream: Option[String => MicroBatchStream] = None,
    decided: Vector[Predicate] = Vector.empty,
    built: Vector[Predicate] => Unit = _ => (),
) extends SupportsPushDownV2Filters
    with SupportsPushDownRequiredColumns
    with SupportsPushDownLimit
    with SupportsPushDownTopN
    with SupportsPushDownAggregates {

  private val readTable: TableAtSnapshot = onDriver(ReadOptions.resolve(table, options))
  private val translator = new SparkPredicates(readTable.table.columns)

  // Spark pushes down one part after another; `build` makes one immutable value of the parts.
  private var predicates: Vector[Predicate] = Vector.empty
  private var described: Vector[filter.Predicate] = Vector.empty
  private var left: Vector[filter.Predicate] = Vector.empty
  private var schema: StructType = ReadColumns.all(readTable)
  private var limit: Option[Int] = None
  private var top: Option[TopRows] = None
  private var answer: Option[CatalogAnswer] = None

  /** The filters are used only to choose files and row groups. All filters are returned to Spark,
    * which evaluates them for each row.
    */
  override def pushPredicates(pushed: Array[filter.Predicate]): Array[filter.Predicate] = {
    val (untranslated, translated) =
      pushed.toVector.partitionMap(p => translator.translate(p).map(p -> _).toRight(p))
    left = untranslated
    described = translated.map(_._1)
    predicates = translated.map(_._2)
    pushed
  }

  override def pushedPredicates(): Array[filter.Predicate] = described.toArray

  override def pruneColumns(required: StructType): Unit = schema = required

  override def pushLimit(rows: Int): Boolean = {
    limit = Some(rows)
    true
  }

  override def pushTopN(orders: Array[SortOrder], rows: Int): Boolean = {
    top = new SparkOrder(readTable.table.columns)
      .translate(orders.toVector.map(Some(_)))
      .map(TopRows(_, rows))
    top.isDefined
  }

  /** Spark keeps its own limit and its own sort. */
  override def isPartiallyPushed: Boolean = true

  override def supportCompletePushDown(aggregation: Aggregation): Boolean = {
    answer = onDriver(CatalogAggregates.answer(readTable, aggregation, decided ++ predicates))
    answer.isDefined
  }

  override def pushAggregation(aggregation: Aggregation): Boolean = answer.isDefined

  override def build(): Scan =
    answer match {
      case Some(rows) => new AggregatePushDownScan(readTable, rows)
      case None =>
        val columns = ReadColumns.of(readTable, schema)
        val filters = NormalForm.of(decided ++ predicates)
        val request = ScanRequest(readTable, columns, schema, filters, limit, top, isRowLevel)
        val untranslated = new Untranslated(translator)
        built(predicates)
        new DuckLakeScan(
          request,
          described.map(_.toString),
          left.map(predicate => predicate.toString -> untranslated.why(predicate)),
          stream,
        )
    }
}
