package ducklake.spark.read

import ducklake.catalog.predicate.NormalForm
import ducklake.catalog.predicate.Predicate
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.predicate.SparkOrder
import ducklake.spark.predicate.SparkPredicates
import ducklake.spark.read.top.TopRows
import ducklake.spark.session.TableAtSnapshot
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.expressions.filter.Predicate as SparkPredicate
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.Batch
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.connector.read.Scan.ColumnarSupportMode
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.SupportsReportPartitioning
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering
import org.apache.spark.sql.connector.read.partitioning.Partitioning
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.MapType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.VariantType

/** Reads a table at its snapshot. Files are listed once, when Spark first needs them.
  *
  * @param filters the filters that choose files, in Spark's spelling, for plans and the UI
  * @param left the other filters, each with the reason why it chooses no files
  * @param stream opens the stream; the table gives it, because the room `streaming` stands above
  *   `read`
  */
final class DuckLakeScan(
    val request: ScanRequest,
    filters: Vector[String],
    left: Vector[(String, String)],
    protected val stream: Option[String => MicroBatchStream],
) extends StreamedScan
    with SupportsReportPartitioning
    with SupportsRuntimeV2Filtering {

  private lazy val planning = new ScanPlanning(request)

  // Spark sets the runtime filters of a node between planning and execution, and asks at once, on
  // the same thread, for the batch that obeys them. Several nodes of a plan may have the same scan,
  // also on other threads, so the filters are for this batch alone.
  private val runtime = ThreadLocal.withInitial[Vector[Predicate]](() => Vector.empty)

  override def readSchema(): StructType = request.schema

  override protected def batchDescription: String = {
    val pushed = filters.map(ScanMetrics.shortened).mkString("filters [", ", ", "]")
    val others = left.map { case (filter, why) =>
      s"${ScanMetrics.shortened(filter)}: ${ScanMetrics.shortened(why)}"
    }
    val rest = Option.when(others.nonEmpty)(others.mkString("left to Spark [", "; ", "]"))
    val limit = request.limit.map(n => s"limit $n")
    val top = request.top.map(_.describe(request.table.table.columns))
    val parts = Vector(pushed) ++ rest ++ limit ++ top ++ planning.filesRead
    s"${request.table.name} snapshot ${request.table.version} (${parts.mkString(", ")})"
  }

  override def toBatch: Batch = {
    val filters = runtime.get()
    runtime.remove()
    new DuckLakeBatch(this, filters)
  }

  override def outputPartitioning(): Partitioning = onDriver(planning.partitioning)

  override def columnarSupportMode(): ColumnarSupportMode = ColumnarSupportMode.SUPPORTED

  override protected def batchStatistics: Statistics = planning.statistics

  /** The columns for which runtime filters are useful. Each runtime filter costs a query, so there
    * are none unless the scan has several files.
    */
  override def filterAttributes(): Array[NamedReference] =
    if (request.isRowLevel || !onDriver(planning.hasManyFiles)) Array.empty else filtered

  private def filtered: Array[NamedReference] =
    request.columns
      .zip(request.schema.fields)
      .collect {
        case (_: ReadColumn.Data, field) if hasStatistics(field.dataType) =>
          Expressions.column(s"`${field.name.replace("`", "``")}`")
      }
      .toArray

  private def hasStatistics(dataType: DataType): Boolean =
    dataType match {
      case _: StructType | _: ArrayType | _: MapType | BinaryType | VariantType => false
      case _ => true
    }

  override def filter(predicates: Array[SparkPredicate]): Unit = {
    val translator = new SparkPredicates(request.table.table.columns)
    runtime.set(predicates.toVector.flatMap(translator.translate))
  }

  /** The scan of the first rows of an order among those that meet all conditions; None when the
    * catalog cannot decide the order, or the scan is limited already.
    *
    * @param conditions are true for exactly the rows that count
    * @param orders None for a key that sources cannot compute
    */
  def first(
      conditions: Vector[Predicate],
      orders: Vector[Option[SortOrder]],
      count: Int,
  ): Option[DuckLakeScan] =
    new SparkOrder(request.table.table.columns)
      .translate(orders)
      .filter(_ => request.limit.isEmpty && request.top.isEmpty)
      .map { order =>
        val predicates = NormalForm.of(request.predicates ++ conditions)
        val asked = request.copy(predicates = predicates, top = Some(TopRows(order, count)))
        new DuckLakeScan(asked, filters, left, stream)
      }

  /** The scan whose columns have these types: a variant may show values that are taken from it. */
  def showing(types: Vector[DataType]): DuckLakeScan = {
    val shown = StructType(request.schema.fields.zip(types).map { case (field, dataType) =>
      field.copy(dataType = dataType)
    })
    val columns = ReadColumns.of(request.table, shown)
    new DuckLakeScan(request.copy(columns = columns, schema = shown), filters, left, stream)
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = ScanMetrics.all

  override def reportDriverMetrics(): Array[CustomTaskMetric] = planning.metrics

  /** Scans are equal when their requests are equal, so that Spark recognises equal plans: it then
    * merges subqueries over them, and reads a table once.
    */
  override def equals(other: Any): Boolean = other match {
    case that: DuckLakeScan => isBatch && that.isBatch && request == that.request || (this eq that)
    case _ => false
  }

  override def hashCode(): Int = request.hashCode()

  private[read] def partitions(runtime: Vector[Predicate]): Array[InputPartition] =
    onDriver(planning.tasks(runtime)).toArray

  private[read] def factory(): PartitionReaderFactory = onDriver(planning.factory)
}

object DuckLakeScan {

  /** All rows of a table, without the hidden columns.
    *
    * @param wanted chooses among all columns
    * @param filters all must hold; rows for which one is false may still be returned
    */
  def whole(
      table: TableAtSnapshot,
      wanted: StructType => StructType,
      filters: Vector[SparkPredicate],
  ): Batch = {
    val schema = wanted(ReadColumns.all(table))
    val columns = ReadColumns.of(table, schema)
    val predicates = filters.flatMap(new SparkPredicates(table.table.columns).translate)
    val request = ScanRequest(
      table,
      columns,
      schema,
      NormalForm.of(predicates),
      limit = None,
      top = None,
      isRowLevel = false,
    )
    new DuckLakeScan(request, Vector.empty, Vector.empty, stream = None).toBatch
  }
}

/** A batch that is equal to another batch when their requests are equal. So Spark reads a table
  * once when a plan contains it twice. Spark itself compares the runtime filters.
  */
final class DuckLakeBatch(scan: DuckLakeScan, runtime: Vector[Predicate]) extends Batch {

  private def request: ScanRequest = scan.request

  override def planInputPartitions(): Array[InputPartition] = scan.partitions(runtime)

  override def createReaderFactory(): PartitionReaderFactory = scan.factory()

  override def equals(other: Any): Boolean = other match {
    case that: DuckLakeBatch => request == that.request
    case _ => false
  }

  override def hashCode(): Int = request.hashCode()
}
