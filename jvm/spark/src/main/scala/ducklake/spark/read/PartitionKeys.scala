package ducklake.spark.read

import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.partition.Transform
import ducklake.catalog.predicate.ProvenValue
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.text.ValueText
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.partitioning.SparkTransforms
import ducklake.spark.types.ChosenTypes
import ducklake.spark.types.SparkTypes
import ducklake.spark.types.SparkValues
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.expressions

/** The partition keys of files in the form in which Spark compares keys of two tables. All rows of
  * a file have the same key, as the catalog proves ([[ProvenValue]]).
  *
  * Only layouts of identity, bucket and epoch keys have keys in this form: there, equal keys mean
  * equal values, buckets or periods in every table. Three cases are excluded: columns of DuckLake
  * types that SQL cannot name have their own hash rules, the hash of a value changes with the type
  * of its column, and files that were registered may lie in a folder of another bucket.
  */
private[read] final class PartitionKeys(request: ScanRequest, spec: PartitionSpec) {

  private val columns: Vector[(PartitionKey, Column)] =
    spec.keys.flatMap(k => request.table.table.columns.find(_.id == k.column).map(k -> _))

  private val types = columns.flatMap { case (key, column) =>
    primitive(column).map(key.column -> _)
  }.toMap

  /** The columns whose statistics prove the keys of files. */
  val statistics: Set[ColumnId] = types.keySet

  /** Whether the stored partition values are needed: only these have buckets. */
  val partitionValues: PartitionValues =
    if (spec.hasBuckets) PartitionValues.Read else PartitionValues.LeftOut

  def transforms: Array[expressions.Expression] =
    SparkTransforms.of(request.table.table).map(t => t: expressions.Expression)

  /** The key of a file; None when it is not proven that all rows have one key. */
  def of(file: DataFile, known: Map[ColumnId, ColumnStatistics]): Option[InternalRow] = {
    val stored = file.partition.filter(_.id == spec.id).fold(noValues)(_.values)
    ProvenValue.ofKeys(columns.map(_._1), types.get, known.get, stored).flatMap { texts =>
      val cells = columns.zip(texts).map { case ((key, column), text) => cell(key, column, text) }
      Option.when(cells.forall(_.isDefined))(new GenericInternalRow(cells.flatten.toArray))
    }
  }

  private val noValues = Map.empty[Int, Option[String]]

  private def cell(key: PartitionKey, column: Column, text: Option[String]): Option[Any] =
    (key.transform, text) match {
      case (_, None) => Some(PartitionKeys.sqlNull)
      case (Transform.Bucket(_), Some(value)) => value.toIntOption
      case (Transform.Epoch(_), Some(value)) => value.toLongOption
      case (Transform.Identity, Some(value)) =>
        primitive(column).flatMap(ValueText.parseStatistic(value, _)).map(spark(_, column))
      case _ => None
    }

  private def primitive(column: Column): Option[LakeType.Primitive] =
    column.dataType match {
      case known: LakeType.Primitive => Some(known)
      case _: LakeType.Nested => None
    }

  private def spark(value: Literal, column: Column): Any =
    SparkValues.internal(value, column, SparkTypes.of(column, request.table.session.timeRule))
}

private[read] object PartitionKeys {

  private val sqlNull: Any = Option.empty[AnyRef].orNull

  /** The keys of a scan; None when Spark cannot use the table's layout for this scan. */
  def of(request: ScanRequest): Option[PartitionKeys] =
    request.table.table.partition
      .filter(_.keys.nonEmpty)
      .filter { spec =>
        spec.keys.forall { key =>
          request.columns.exists {
            case ReadColumn.Data(column, _) =>
              column.id == key.column && isComparable(key, column, spec) &&
              ChosenTypes.of(column).isEmpty && column.children.isEmpty
            case _ => false
          }
        }
      }
      .filter { spec =>
        !spec.hasBuckets || !request.table.snapshot.hadRegisteredFiles(request.table.table)
      }
      .map(new PartitionKeys(request, _))

  private def isComparable(key: PartitionKey, column: Column, spec: PartitionSpec): Boolean =
    key.transform match {
      case Transform.Identity => TypeTraits.of(column.dataType).hasOneText
      case Transform.Bucket(_) => !spec.changed(column.id) && hasOneHash(column)
      case Transform.Epoch(_) => true
      case _: Transform.Calendar => false
    }

  /** NaN has several bit patterns, which are equal but in different buckets. */
  private def hasOneHash(column: Column): Boolean =
    column.dataType match {
      case LakeType.Float32 | LakeType.Float64 => false
      case _ => true
    }
}
