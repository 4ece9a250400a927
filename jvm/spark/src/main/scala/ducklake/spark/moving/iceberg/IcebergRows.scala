package ducklake.spark.moving.iceberg

import ducklake.catalog.types.Column
import ducklake.spark.job.LakeJob
import ducklake.spark.moving.RowSum
import ducklake.spark.moving.SourceRows
import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.BaseTable
import org.apache.iceberg.FileFormat
import org.apache.iceberg.FileScanTask
import org.apache.iceberg.Schema
import org.apache.iceberg.SchemaParser
import org.apache.iceberg.TableProperties
import org.apache.iceberg.data.GenericDeleteFilter
import org.apache.iceberg.data.IdentityPartitionConverters
import org.apache.iceberg.data.Record
import org.apache.iceberg.formats.FormatModelRegistry
import org.apache.iceberg.formats.ReadBuilder
import org.apache.iceberg.mapping.NameMappingParser
import org.apache.iceberg.util.PartitionUtil
import org.apache.iceberg.util.SerializationUtil
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import scala.jdk.CollectionConverters.IterableHasAsScala
import scala.jdk.CollectionConverters.ListHasAsScala
import scala.util.Using

/** The current rows of a table of Iceberg, as Iceberg's generic reader reads them. */
private[iceberg] final class IcebergRows(source: BaseTable, conf: Configuration)
    extends SourceRows {

  override def sum(shape: StructType): RowSum = {
    val read = IcebergRead(
      SchemaParser.toJson(source.schema),
      Option(source.properties.get(TableProperties.DEFAULT_NAME_MAPPING)),
      IcebergColumns.of(source.schema.columns.asScala.toSeq).columns,
      shape,
    )
    val files = Using.resource(source.newScan().planFiles()) { tasks =>
      tasks.asScala.map(task => SerializationUtil.serializeToBytes(task)).toVector
    }
    val context = SparkSession.active.sparkContext
    val description = s"Reading all rows of ${source.location}"
    val job = new LakeJob(context, description, "compared rows", conf)
    job
      .collect(job.divided(files, 1)) { (some, settings) =>
        some.map(read.sum(_, settings)).foldLeft(RowSum.none)(_ + _)
      }
      .foldLeft(RowSum.none)(_ + _)
  }
}

/** What tasks need to read files of the table.
  *
  * @param schema in Iceberg's JSON
  * @param mapping the name mapping, in the same form
  */
private final case class IcebergRead(
    schema: String,
    mapping: Option[String],
    columns: Vector[Column],
    shape: StructType,
) {

  /** @param file a serialized task */
  def sum(file: Array[Byte], conf: Configuration): RowSum = {
    val task = SerializationUtil.deserializeFromBytes[FileScanTask](file)
    val wanted = SchemaParser.fromJson(schema)
    val files = new SourceFiles(conf)
    val deletes = new GenericDeleteFilter(files, task, wanted, wanted)
    Using.resource(deletes.filter(reader(task, deletes.requiredSchema, files).build())) { records =>
      RowSum.of(records.asScala.iterator.map(row), shape)
    }
  }

  private def reader(
      task: FileScanTask,
      wanted: Schema,
      files: SourceFiles,
  ): ReadBuilder[Record, Schema] = {
    val file = files.newInputFile(task.file.location)
    val constants =
      PartitionUtil.constantsMap(task, IdentityPartitionConverters.convertConstant(_, _))
    val bare = FormatModelRegistry
      .readBuilder[Record, Schema](FileFormat.PARQUET, classOf[Record], file)
      .project(wanted)
      .idToConstant(constants)
      .split(task.start, task.length)
    mapping.fold(bare)(json => bare.withNameMapping(NameMappingParser.fromJson(json)))
  }

  /** Columns that only deletes need come last. */
  private def row(record: Record): InternalRow =
    InternalRow.fromSeq(columns.zipWithIndex.map { case (column, at) =>
      IcebergRecords.internal(record.get(at), column, shape(at).dataType)
    })
}
