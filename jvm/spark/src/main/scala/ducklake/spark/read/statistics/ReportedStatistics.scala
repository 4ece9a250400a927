package ducklake.spark.read.statistics

import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.LiveRowCount
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.LiteralOrder
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.read.ReadColumns
import ducklake.spark.read.ScanRequest
import ducklake.spark.sparkapi.sql.SessionSettings
import ducklake.spark.types.SparkValues
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.colstats

import java.util
import java.util.Optional
import java.util.OptionalLong

import scala.jdk.CollectionConverters.MapHasAsJava

/** The statistics of a scan for Spark's optimizer. */
private[read] object ReportedStatistics {

  /** The columns whose file statistics Spark's optimizer can use. */
  def columns(request: ScanRequest): Set[ColumnId] =
    request.columns.collect {
      case ReadColumn.Data(column, _) if column.children.isEmpty => column.id
    }.toSet

  def of(request: ScanRequest, listing: FileListing, inlinedRows: Long): Statistics = {
    val live = listing.files.iterator.map(LiveRowCount.estimate).sum + inlinedRows
    val rows = request.limit.fold(live)(limit => live.min(limit.toLong))
    val size = new ScanSize(ReadColumns.all(request.table), request.schema)
    val all = size.bytes(
      listing.files.iterator.map(file => ScanSize.bytesOf(file, LiveRowCount.estimate(file))).sum,
      inlinedRows,
    )
    val bytes = if (rows == live) all else (BigInt(all) * rows / live).max(1).toLong
    new Statistics {
      override def numRows(): OptionalLong = OptionalLong.of(rows)

      override def sizeInBytes(): OptionalLong = OptionalLong.of(bytes)

      override def columnStats(): util.Map[NamedReference, colstats.ColumnStatistics] =
        ReportedStatistics.columnStats(request, listing, inlinedRows).asJava
    }
  }

  /** Spark asks in each planning, also when it uses no statistics of columns. */
  private def columnStats(
      request: ScanRequest,
      listing: FileListing,
      inlinedRows: Long,
  ): Map[NamedReference, colstats.ColumnStatistics] =
    if (inlinedRows > 0 || !SessionSettings.wantsColumnStatistics) Map.empty
    else
      request.columns
        .zip(request.schema.fields)
        .collect {
          case (data: ReadColumn.Data, field) if data.column.children.isEmpty =>
            val perFile = listing.files.map { file =>
              listing.statistics.get(file.id).flatMap(_.get(data.column.id))
            }
            val reference = Expressions.column(s"`${field.name.replace("`", "``")}`")
            (reference: NamedReference) -> merged(data, perFile)
        }
        .toMap

  /** Statistics of a column over all files. A number is known only when it is known for every file.
    */
  private def merged(
      data: ReadColumn.Data,
      perFile: Vector[Option[ColumnStatistics]],
  ): colstats.ColumnStatistics = {
    def all[A](pick: ColumnStatistics => Option[A]): Option[Vector[A]] = {
      val known = perFile.flatMap(_.flatMap(pick))
      Option.when(known.length == perFile.length && known.nonEmpty)(known)
    }
    // A bound that Spark's type cannot hold may be of a row that the query does not return.
    def spark(value: Literal): Option[Any] =
      try Some(SparkValues.internal(value, data.column, data.sparkType))
      catch { case _: LakeException => None }
    val order = data.column.dataType match {
      case LakeType.Varchar | LakeType.Blob | _: LakeType.Nested => None // Spark takes no bounds
      case primitive: LakeType.Primitive => LiteralOrder.of(primitive)
    }
    val smallest = order.flatMap(by => all(_.min).map(_.min(by))).flatMap(spark)
    val largest = order.flatMap(by => all(_.max).map(_.max(by))).flatMap(spark)
    val nulls = all(_.nullCount).map(_.sum)
    new colstats.ColumnStatistics {
      override def min(): Optional[Object] = optional(smallest)
      override def max(): Optional[Object] = optional(largest)
      override def nullCount(): OptionalLong =
        nulls.fold(OptionalLong.empty())(OptionalLong.of)
    }
  }

  private def optional(value: Option[Any]): Optional[Object] =
    value.fold(Optional.empty[Object]())(v => Optional.of(v.asInstanceOf[Object]))
}
