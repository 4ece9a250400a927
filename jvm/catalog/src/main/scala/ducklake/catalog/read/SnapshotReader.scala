package ducklake.catalog.read

import ducklake.catalog.cache.LakeIdentity
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Row
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.SnapshotId
import ducklake.catalog.model.SnapshotInfo
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.SnapshotSql

import java.time.Instant

/** Reads snapshots, each with one statement. */
final class SnapshotReader(database: Database, dataPaths: DataPaths) {
  private val sql = new SnapshotSql(database.dialect)

  /** None when the database has no lake. */
  def newest(): Option[CatalogHead] =
    if (!database.exists) None
    else database.single("read the newest snapshot")(_.firstIfTable(sql.head)(decodeHead))

  /** None when the database has no lake, or the lake has not this snapshot. */
  def at(id: SnapshotId): Option[CatalogHead] =
    if (!database.exists) None
    else database.single(s"read snapshot ${id.value}")(_.firstIfTable(sql.at(id))(decodeHead))

  /** The newest at or before the time, of equal times the one with the highest id. */
  def atOrBefore(time: Instant): Option[SnapshotId] =
    times()
      .filterNot { case (_, at) => at.isAfter(time) }
      .maxByOption { case (id, at) => (at, id.value) }
      .map { case (id, _) => id }

  /** The snapshots that are kept: smallest id and largest, with their times. */
  def times(): Vector[(SnapshotId, Instant)] =
    database.single("read the snapshots") { session =>
      session.query(sql.times)(row => (SnapshotId(row.long(1)), row.instant(2)))
    }

  def list(version: FormatVersion): Vector[SnapshotInfo] =
    database.single("read the snapshots")(_.query(sql.list(version))(decodeInfo))

  def options(version: FormatVersion): Vector[LakeOption] =
    database.single("read the options")(_.query(sql.options(version))(OptionRows.decode))

  /** The options of a catalog of version 1.0, as other statements of the session see them. */
  def optionsIn(session: Session): Vector[LakeOption] =
    session.query(sql.options(FormatVersion.V10))(OptionRows.decode)

  /** The newest snapshot as other statements of the session see it. */
  def newestIn(session: Session): CatalogHead =
    session.first(sql.head)(decodeHead).getOrElse(throw new LakeException(emptied))

  private def emptied: LakeError =
    LakeError.CorruptCatalog(s"the lake at ${database.display}", "it has no snapshot")

  private def decodeHead(row: Row): CatalogHead = {
    val version = row.text(6)
    val stored = row.text(7)
    CatalogHead(
      decodeSnapshot(row),
      FormatVersion.of(version).getOrElse(throw new LakeException(unsupported(version))),
      dataPaths.inForce(stored),
      LakeIdentity(row.textOption(8).getOrElse(""), stored),
    )
  }

  private def unsupported(version: String): LakeError =
    LakeError.UnsupportedVersion(database.display, version, FormatVersion.all.map(_.text))

  private def decodeInfo(row: Row): SnapshotInfo =
    SnapshotInfo(
      decodeSnapshot(row),
      row.textOption(6),
      row.textOption(7),
      row.textOption(8),
      row.textOption(9),
    )

  private def decodeSnapshot(row: Row): Snapshot =
    Snapshot(SnapshotId(row.long(1)), row.instant(2), row.long(3), row.long(4), row.long(5))
}
