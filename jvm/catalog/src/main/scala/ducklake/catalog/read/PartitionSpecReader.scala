package ducklake.catalog.read

import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionId
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.partition.TransformText
import ducklake.catalog.sql.IndexSql

/** Reads the partition specs that a table's files may have. */
private[read] object PartitionSpecReader {

  /** All partition specs that the table ever had. Specs with an unknown transform are left out, so
    * they prune nothing. For catalogs of 0.1 the result is empty, because their keys name columns
    * by position.
    */
  def read(
      session: Session,
      sql: IndexSql,
      head: CatalogHead,
      table: LakeTable,
  ): Vector[PartitionSpec] =
    if (!head.version.hasPartitionFieldIds) Vector.empty
    else {
      val rows = session.query(sql.layouts(table.id)) { row =>
        val key = TransformText.parse(row.text(4)).map { transform =>
          PartitionKey(row.long(2).toInt, ColumnId(row.long(3)), transform)
        }
        (PartitionId(row.long(1)), key)
      }
      rows.groupMap(_._1)(_._2).toVector.collect {
        case (id, keys) if keys.forall(_.nonEmpty) => PartitionSpec(id, keys.flatten)
      }
    }
}
