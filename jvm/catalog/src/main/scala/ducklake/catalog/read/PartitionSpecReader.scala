package ducklake.catalog.read

import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionId
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformText
import ducklake.catalog.sql.IndexSql

/** Reads the partition specs that a table's files may have. */
private[read] object PartitionSpecReader {

  /** All partition specs that the table ever had, with the keys whose values are those of the rows.
    * Specs with an unknown transform are left out, so they prune nothing. For catalogs of 0.1 the
    * result is empty, because their keys name columns by position.
    *
    * DuckDB registers a file of 2021 below `year=2020`, prunes it by its statistics alone, and keeps
    * the value when it merges the file. So once files were registered, only identity keys are left:
    * their value is what readers show.
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
        (PartitionId(row.long(1)), key, row.long(5) == 1)
      }
      val isRegistered = rows.exists(_._3)
      rows.groupMap(_._1)(_._2).toVector.collect {
        case (id, keys) if keys.forall(_.nonEmpty) =>
          PartitionSpec(
            id,
            keys.flatten.filter(key => !isRegistered || key.transform == Transform.Identity),
          )
      }
    }
}
