package ducklake.spark.layout

import ducklake.catalog.model.Column
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.catalog.model.SortKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.LakeType
import ducklake.spark.config.WriteConfig
import ducklake.spark.functions.PartitionKeyFunction
import org.apache.spark.sql.connector.distributions.Distribution
import org.apache.spark.sql.connector.distributions.Distributions
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.NullOrdering
import org.apache.spark.sql.connector.expressions.SortDirection as SparkDirection
import org.apache.spark.sql.connector.expressions.SortOrder
import org.slf4j.LoggerFactory

/** How rows are to come to the tasks: those of a partition together, and in the table's order. */
final class WriteDistribution(layout: WriteLayout, config: WriteConfig) {

  private val log = LoggerFactory.getLogger(classOf[WriteDistribution])

  private val keys: Vector[(Transform, Column)] = layout.partition.flatMap { key =>
    layout.columns.find(_.id == key.column).map(key.transform -> _)
  }

  private val clustering: Vector[Expression] = keys.flatMap { case (transform, column) =>
    clusteringBy(transform, column)
  }

  /** A plain column where it says by itself which partition a row is of, else the key's function. */
  private def clusteringBy(transform: Transform, column: Column): Option[Expression] = {
    val reference = WriteDistribution.reference(column.name)
    Some(column.dataType).collect { case lakeType: LakeType.Primitive =>
      if (transform == Transform.Identity && !WriteDistribution.hasManySpellings(lakeType))
        reference
      else Expressions.apply(PartitionKeyFunction.name(transform, lakeType), reference)
    }
  }

  /** Not strict: Spark may split what is large and join what is small. */
  def distribution: Distribution =
    if (clustering.isEmpty) Distributions.unspecified()
    else Distributions.clustered(clustering.toArray)

  /** Spark allows one only with a distribution. */
  def advisorySizeBytes: Long = if (clustering.isEmpty) 0L else config.targetFileSize

  /** Within a task, rows of a partition come one after another. */
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

  /** Year, month and so on of one column are stretches of it: sorted last, by the column itself, they
    * come together at a fraction of the cost.
    */
  private def withoutSeries: (Vector[(Transform, Column)], Option[Column]) = {
    val column = keys.collectFirst {
      case (Transform.Year, column) if isSeries(column) => column
    }
    (keys.filterNot { case (_, other) => column.exists(_.id == other.id) }, column)
  }

  /** Whether the column's keys are an unbroken series from the year on, and nothing else. */
  private def isSeries(column: Column): Boolean = {
    val own = keys.collect { case (transform, other) if other.id == column.id => transform }
    WriteDistribution.units.take(own.length).toSet == own.toSet &&
    (column.dataType match {
      case LakeType.Date | LakeType.Timestamp | LakeType.TimestampTz => true
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

  /** From the greatest to the least. */
  val units: Vector[Transform] =
    Vector(Transform.Year, Transform.Month, Transform.Day, Transform.Hour)

  /** Whether different values of Spark are one value of the type. */
  def hasManySpellings(lakeType: LakeType): Boolean =
    lakeType match {
      case LakeType.Uuid | LakeType.Time | LakeType.TimeTz | LakeType.Interval |
          LakeType.TimestampS | LakeType.TimestampMs =>
        true
      case _ => false
    }

  /** Spark parses references: every name is quoted. */
  def reference(column: String): Expression =
    Expressions.column(s"`${column.replace("`", "``")}`")
}
