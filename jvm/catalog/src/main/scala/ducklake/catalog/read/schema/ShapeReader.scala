package ducklake.catalog.read.schema

import ducklake.catalog.jdbc.Database
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.TableShape
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.query.SchemaSql
import ducklake.catalog.types.SnapshotId

/** Reads the columns that a table had over time. The catalog keeps them when snapshots expire. */
final class ShapeReader(database: Database) {

  /** A shape begins with each schema version of the table, and with each change of its columns: a
    * catalog that came from an older version of the format may have no schema version for it.
    */
  def shapes(head: CatalogHead, table: LakeTable): Vector[TableShape] =
    database.consistent(s"read the past columns of ${table.qualifiedName}") { session =>
      val versions = session
        .query(new InlinedSql(database.dialect, head.version).schemaVersions(table.id))(_.long(2))
      val history = session
        .query(new SchemaSql(database.dialect, head.version).columnHistory(table.id))(
          ColumnRowReader.decodePast
        )
      val changes = history.flatMap(row => row.lifetime.begin +: row.lifetime.end.toVector)
      (versions ++ changes.map(_.value)).distinct.sorted
        .filter(_ <= head.snapshot.id.value)
        .map { begin =>
          val visible = history.filter(_.lifetime.isVisibleAt(SnapshotId(begin)))
          TableShape(SnapshotId(begin), ColumnRowReader.tree(visible, Map.empty))
        }
    }
}
