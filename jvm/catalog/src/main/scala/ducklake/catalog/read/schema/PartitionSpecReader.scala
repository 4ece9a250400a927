package ducklake.catalog.read.schema

import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.partition.TransformText
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.query.IndexSql
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.PartitionId

/** Reads the partition specs that a table's files may have. */
private[read] object PartitionSpecReader {

  /** All partition specs that the table ever had, with the keys whose values can be proven. Specs
    * with an unknown transform are left out, so they prune nothing. For catalogs of 0.1 the result
    * is empty, because their keys name columns by position.
    *
    * DuckDB registers files below a folder of another bucket, and keeps the value when it merges
    * them. So once files were registered, bucket keys are left out: bounds do not give all buckets
    * of a file.
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
          PartitionKey(row.int(2), ColumnId(row.long(3)), transform)
        }
        (PartitionId(row.long(1)), key, row.long(5) == 1)
      }
      val isRegistered = rows.exists(_._3)
      rows.groupMap(_._1)(_._2).toVector.collect {
        case (id, keys) if keys.forall(_.nonEmpty) =>
          PartitionSpec(
            id,
            keys.flatten.filterNot(key => isRegistered && key.isBucket),
          )
      }
    }
}
