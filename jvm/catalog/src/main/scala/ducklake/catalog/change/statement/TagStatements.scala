package ducklake.catalog.change.statement

import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.write.WriteSql
import ducklake.catalog.types.SnapshotId

/** Statements on the tags of schemas, tables and views. */
private[statement] final class TagStatements(sql: WriteSql) {

  def all(objectId: Long, tags: Map[String, String], at: SnapshotId): Vector[Sql] =
    insert(objectId, tags.toVector.sorted.map { case (key, value) => key -> Some(value) }, at)

  /** Stores the tags that changed. A tag that is removed leaves a row without a value, as in
    * DuckDB.
    */
  def changed(
      objectId: Long,
      before: Map[String, String],
      after: Map[String, String],
      at: SnapshotId,
  ): Vector[Sql] = {
    val keys = (before.keySet ++ after.keySet).toVector.sorted
    val differing = keys.filter(key => before.get(key) != after.get(key))
    sql.endTags(objectId, differing.filter(before.contains), at) ++
      insert(objectId, differing.map(key => key -> after.get(key)), at)
  }

  private def insert(
      objectId: Long,
      tags: Vector[(String, Option[String])],
      at: SnapshotId,
  ): Vector[Sql] =
    sql.insert(MetadataSchema.Tag, tags)(
      "object_id" -> (_ => Bind.Number(objectId)),
      "begin_snapshot" -> (_ => Bind.Number(at.value)),
      "end_snapshot" -> (_ => Bind.Absent),
      "key" -> (tag => Bind.Text(tag._1)),
      "value" -> (tag => Bind.ofText(tag._2)),
    )
}
