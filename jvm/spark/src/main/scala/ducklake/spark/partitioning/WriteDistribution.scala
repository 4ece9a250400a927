package ducklake.spark.partitioning

import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.spark.config.WriteConfig
import org.apache.spark.sql.connector.distributions.Distribution
import org.apache.spark.sql.connector.distributions.Distributions
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.NullOrdering
import org.apache.spark.sql.connector.expressions.SortDirection as SparkDirection
import org.apache.spark.sql.connector.expressions.SortOrder
import org.slf4j.LoggerFactory

/** The distribution and the ordering of rows that a write requests from Spark: rows of a partition
  * together, in the table's sort order.
  */
final class WriteDistribution(layout: WriteLayout, config: WriteConfig) {

  private val log = LoggerFactory.getLogger(classOf[WriteDistribution])

  private val keys: Vector[(Transform, Column)] = layout.partition.flatMap { key =>
    layout.columns.find(_.id == key.column).map(key.transform -> _)
  }

  private val clustering: Vector[Expression] = keys.flatMap { case (transform, column) =>
    clusteringBy(transform, column)
  }

  /** The expression to cluster by. It is the plain column when the value alone decides the
    * partition of a row, otherwise the function of the key.
    */
  private def clusteringBy(transform: Transform, column: Column): Option[Expression] = {
    val reference = WriteDistribution.reference(column.name)
    Some(column.dataType).collect { case lakeType: LakeType.Primitive =>
      if (transform == Transform.Identity && !WriteDistribution.hasManySpellings(lakeType))
        reference
      else Expressions.apply(PartitionKeyFunction.name(transform, lakeType), reference)
    }
  }

  /** The distribution. It is not strict: Spark may split large partitions and join small
    * partitions.
    */
  def distribution: Distribution =
    if (clustering.isEmpty) Distributions.unspecified()
    else Distributions.clustered(clustering.toArray)

  /** The advisory size. It is 0 without a distribution, because Spark allows no size then. */
  def advisorySizeBytes: Long = if (clustering.isEmpty) 0L else config.targetFileSize

  /** The ordering in a task, in which the rows of a partition come one after another. */
  def ordering: Array[SortOrder] = {
    val sorted = sortKeys
    val (plain, series) = if (sorted.isEmpty) withoutSeries else (keys, None)
    val partitions = plain.flatMap { case (transform, column) => clusteringBy(transform, column) }
    val span = series.map(column => WriteDistribution.reference(column.name))
    val first = (partitions ++ span).map { key =>
      Expressions.sort(key, SparkDirection.ASCENDING, NullOrdering.NULLS_FIRST)
    }
    (first ++ sorted).toArray
  }

  /** The keys without the keys of a series, such as year and month of one column, and the column of
    * the series. Each part of a series is a range of the column. So rows are sorted last by the
    * column itself, which keeps the rows of a partition together at a fraction of the cost.
    */
  private def withoutSeries: (Vector[(Transform, Column)], Option[Column]) = {
    val column = keys.collectFirst {
      case (Transform.Year | Transform.Epoch(_), column) if isSeries(column) => column
    }
    (keys.filterNot { case (_, other) => column.exists(_.id == other.id) }, column)
  }

  /** Whether the column has only keys of a series from the year on without a gap, or only ordinals.
    */
  private def isSeries(column: Column): Boolean = {
    val own = keys.collect { case (transform, other) if other.id == column.id => transform }
    val isRange = Transform.units.take(own.length).toSet == own.toSet ||
      own.forall {
        case Transform.Epoch(_) => true
        case _ => false
      }
    isRange &&
    (column.dataType match {
      case LakeType.Date | LakeType.Timestamp | LakeType.TimestampTz | LakeType.TimestampTzNs =>
        true
      case _ => false
    })
  }

  private def sortKeys: Vector[SortOrder] =
    if (!config.sortsRows) Vector.empty
    else
      SortColumns.of(layout.sort, layout.columns) match {
        case Some(found) => found.map { case (key, column) => sortOrder(key, column.name) }
        case None =>
          log.info(
            "Rows for {} are not sorted: its sort order holds an expression that is no column",
            layout.name,
          )
          Vector.empty
      }

  private def sortOrder(key: SortKey, column: String): SortOrder = {
    val direction = key.direction match {
      case SortDirection.Ascending => SparkDirection.ASCENDING
      case SortDirection.Descending => SparkDirection.DESCENDING
    }
    val nulls = key.nulls match {
      case NullOrder.First => NullOrdering.NULLS_FIRST
      case NullOrder.Last => NullOrdering.NULLS_LAST
    }
    Expressions.sort(WriteDistribution.reference(column), direction, nulls)
  }
}

object WriteDistribution {

  /** Whether several Spark values can be one value of the lake's type. */
  def hasManySpellings(lakeType: LakeType): Boolean =
    lakeType match {
      case LakeType.Uuid | LakeType.Time | LakeType.TimeTz | LakeType.Interval |
          LakeType.TimestampS | LakeType.TimestampMs =>
        true
      case _ => false
    }

  /** A reference to a column. Every name is quoted, because Spark parses references. */
  def reference(column: String): Expression =
    Expressions.column(s"`${column.replace("`", "``")}`")
}
