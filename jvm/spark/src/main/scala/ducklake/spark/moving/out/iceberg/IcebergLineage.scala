package ducklake.spark.moving.out.iceberg

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.iceberg.TableMetadata
import org.apache.iceberg.TableMetadataParser

/** Numbers of rows in format 3. Files that the lake's updates, flushes and merges wrote have row ids and
  * snapshots of the lake under the field ids by which Iceberg finds a row's id and the sequence
  * number of its last change.
  *
  * Source: Iceberg's specification, "Row Lineage"; format 5.3.
  */
private[iceberg] object IcebergLineage {

  /** The least id that Iceberg gives to a row of another file: greater than those of the lake, and so
    * small that every reader of JSON has the number exactly.
    */
  private val FirstRowId = 1L << 52

  /** The metadata whose next snapshot has ids of rows that the lake does not have, and the snapshot of
    * the lake as its sequence number, unless the last one is greater.
    */
  def numbered(metadata: TableMetadata, snapshot: Long): TableMetadata = {
    val node = mapper.readTree(TableMetadataParser.toJson(metadata)).require[ObjectNode]()
    node.put("next-row-id", metadata.nextRowId.max(FirstRowId))
    node.put("last-sequence-number", metadata.lastSequenceNumber.max(snapshot - 1))
    TableMetadataParser.fromJson(node.toString)
  }

  private val mapper = new ObjectMapper
}
