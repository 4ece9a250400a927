package ducklake.spark.write

import ducklake.spark.config.AddressOptions
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util.Optional

/** A write without the options that only name its table, see [[AddressOptions]]. */
private[spark] object OwnWriteInfo {

  /** @param table the table's full name */
  def of(table: String, info: LogicalWriteInfo): LogicalWriteInfo = {
    val own = AddressOptions.without(table, info.options())
    if (own eq info.options()) info else new OwnWriteInfo(info, own)
  }

  /** The same write with other options. */
  def withOptions(info: LogicalWriteInfo, options: CaseInsensitiveStringMap): LogicalWriteInfo =
    new OwnWriteInfo(info, options)
}

private final class OwnWriteInfo(
    info: LogicalWriteInfo,
    override val options: CaseInsensitiveStringMap,
) extends LogicalWriteInfo {
  override def queryId(): String = info.queryId()
  override def schema(): StructType = info.schema()
  override def rowIdSchema(): Optional[StructType] = info.rowIdSchema()
  override def metadataSchema(): Optional[StructType] = info.metadataSchema()
}
