package ducklake.spark.sparkapi.catalog

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** A file behind a query.
  *
  * @param path decoded, as Hadoop opens it
  * @param partition the texts of the partition values, instants in UTC
  */
final case class QueriedFile(path: String, sizeBytes: Long, partition: Vector[Option[String]])

/** The Parquet files that Spark reads for a table or a folder.
  *
  * @param schema of the rows, partition columns last
  * @param partition the names of the partition columns
  */
final case class QueriedFiles(
    schema: StructType,
    partition: Vector[String],
    files: Vector[QueriedFile],
) {

  /** Columns with a default. Spark shows it for files that are older than the column. */
  def withDefaults: Vector[String] =
    schema.fields.toVector
      .filter(_.metadata.contains(ResolveDefaultColumns.EXISTS_DEFAULT_COLUMN_METADATA_KEY))
      .map(_.name)
}

object QueriedFiles {

  /** None when the rows are not all rows of Parquet files, as those of a view may be. Formats on top
    * of Parquet, whose rows are not all rows of their files, have classes of their own.
    */
  def of(rows: DataFrame): Option[QueriedFiles] =
    relationOf(rows.queryExecution.analyzed)
      .map(_.relation)
      .collect { case files: HadoopFsRelation => files }
      .filter(_.fileFormat.getClass == classOf[ParquetFileFormat])
      .map(files =>
        QueriedFiles(rows.schema, files.partitionSchema.fieldNames.toVector, all(files))
      )

  /** Spark puts a projection over a table with CHAR columns, which it pads. */
  private def relationOf(plan: LogicalPlan): Option[LogicalRelation] = plan match {
    case alias: SubqueryAlias => relationOf(alias.child)
    case Project(_, relation: LogicalRelation) => Some(relation)
    case relation: LogicalRelation => Some(relation)
    case _ => None
  }

  private def all(relation: HadoopFsRelation): Vector[QueriedFile] =
    relation.location.listFiles(Nil, Nil).toVector.flatMap { partition =>
      val values = texts(partition.values, relation.partitionSchema)
      partition.files.map { file =>
        QueriedFile(file.getPath.toString, file.getLen, values)
      }
    }

  private def texts(values: InternalRow, schema: StructType): Vector[Option[String]] =
    schema.fields.toVector.zipWithIndex.map { case (field, at) =>
      val value = Literal(values.get(at, field.dataType), field.dataType)
      Option(Cast(value, StringType, Some("UTC")).eval()).map(_.toString)
    }
}
