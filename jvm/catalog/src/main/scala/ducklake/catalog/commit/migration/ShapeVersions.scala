package ducklake.catalog.commit.migration

import ducklake.catalog.jdbc.WriteSession
import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.write.RepairSql
import ducklake.catalog.sql.write.WriteSql

/** A row of `ducklake_schema_versions`, of one table. */
private[migration] final case class ShapeVersion(begin: Long, version: Long)

/** Inserts the schema versions that a table lacks. Migrations by DuckDB and by us make the schema
  * versions of catalogs up to 0.2 from the snapshots; a version whose snapshots had all expired has
  * no row. DuckDB's compaction reads files of such a version with older columns, or it fails when
  * there is no older version (format 12).
  */
private[migration] final class ShapeVersions(dialect: Dialect, version: FormatVersion) {
  private val sql = new RepairSql(dialect)
  private val write = new WriteSql(dialect, version)

  def complete(session: WriteSession): Unit = {
    val known = session
      .query(sql.schemaVersions)(row => row.long(1) -> ShapeVersion(row.long(2), row.long(3)))
      .groupMap(_._1)(_._2)
    val changes = session
      .query(sql.shapeChanges)(row => row.long(1) -> row.long(2))
      .groupMap(_._1)(_._2)
    val reserved = session
      .query(sql.inlinedVersions)(row => row.long(1) -> row.long(2))
      .groupMap(_._1)(_._2)
    changes.toVector.sortBy(_._1).foreach { case (table, snapshots) =>
      val before = known.getOrElse(table, Vector.empty)
      val after =
        ShapeVersions.completed(before, snapshots, reserved.getOrElse(table, Vector.empty).toSet)
      replace(session, table, before, after)
    }
  }

  private def replace(
      session: WriteSession,
      table: Long,
      before: Vector[ShapeVersion],
      after: Vector[ShapeVersion],
  ): Unit = {
    val gone = before.diff(after)
    gone.foreach(one => session.execute(sql.removeSchemaVersion(table, one.begin, one.version)))
    write
      .insert(MetadataSchema.SchemaVersions, after.diff(before))(
        "begin_snapshot" -> (one => Bind.Number(one.begin)),
        "schema_version" -> (one => Bind.Number(one.version)),
        "table_id" -> (_ => Bind.Number(table)),
      )
      .foreach(session.execute)
  }
}

private[migration] object ShapeVersions {

  /** The versions of a table, completed. A missing version gets a number between the numbers of the
    * versions around it: each change raises the number, so there is one. When these two numbers are
    * consecutive, the later version is the version of the change, and begins with it. Nothing is
    * added after the last version: no snapshot sees a table that has changed since.
    *
    * @param known in any order
    * @param changes the snapshots that changed the columns
    * @param reserved numbers that mean other columns
    */
  def completed(
      known: Vector[ShapeVersion],
      changes: Vector[Long],
      reserved: Set[Long],
  ): Vector[ShapeVersion] =
    changes.sorted.foldLeft(known) { (versions, change) =>
      if (versions.exists(_.begin == change)) versions
      else
        versions.filter(_.begin > change).minByOption(_.begin).fold(versions) { next =>
          val earlier = versions.filter(_.begin < change).map(_.version).maxOption.getOrElse(0L)
          (earlier + 1).until(next.version).find(!reserved(_)) match {
            case Some(free) => versions :+ ShapeVersion(change, free)
            case None => versions.filter(_ != next) :+ next.copy(begin = change)
          }
        }
    }
}
