package ducklake.files.foreign

import org.apache.parquet.format.ConvertedType
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.format.LogicalType
import org.apache.parquet.format.MicroSeconds
import org.apache.parquet.format.MilliSeconds
import org.apache.parquet.format.SchemaElement
import org.apache.parquet.format.TimeUnit
import org.apache.parquet.format.TimestampType

import scala.jdk.CollectionConverters.ListHasAsScala

/** Timestamps of old writers, whose footers have only a converted type. The converted type does not
  * record whether the values are instants: DuckDB reads them as local times, Parquet's library as
  * instants.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_added_old_times.
  */
private[foreign] object OldTimestamps {

  /** Gives these columns the annotation of local times, so that Parquet's library reads the same
    * values as DuckDB. Changes the footer.
    */
  def markLocal(footer: FileMetaData): Unit =
    footer.getSchema.asScala.filterNot(_.isSetLogicalType).foreach { field =>
      unit(field).foreach { unit =>
        field.setLogicalType(LogicalType.TIMESTAMP(new TimestampType(false, unit)))
      }
    }

  private def unit(field: SchemaElement): Option[TimeUnit] =
    field.getConverted_type match {
      case ConvertedType.TIMESTAMP_MILLIS => Some(TimeUnit.MILLIS(new MilliSeconds))
      case ConvertedType.TIMESTAMP_MICROS => Some(TimeUnit.MICROS(new MicroSeconds))
      case _ => None
    }
}
