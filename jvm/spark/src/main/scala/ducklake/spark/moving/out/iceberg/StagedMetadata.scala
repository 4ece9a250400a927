package ducklake.spark.moving.out.iceberg

import org.apache.iceberg.LocationProviders
import org.apache.iceberg.TableMetadata
import org.apache.iceberg.TableOperations
import org.apache.iceberg.io.FileIO
import org.apache.iceberg.io.LocationProvider

/** Metadata that changes of a table build upon and leave behind, until a metadata file is written.
  *
  * @param folder of the table, with a separator at its end
  */
private[iceberg] final class StagedMetadata(
    folder: String,
    start: TableMetadata,
    files: FileIO,
) extends TableOperations {

  @volatile private var staged = start

  override def current(): TableMetadata = staged

  override def refresh(): TableMetadata = staged

  override def commit(base: TableMetadata, next: TableMetadata): Unit = staged = next

  override def io(): FileIO = files

  override def metadataFileLocation(name: String): String = s"${folder}metadata/$name"

  override def locationProvider(): LocationProvider =
    LocationProviders.locationsFor(folder, staged.properties)
}
