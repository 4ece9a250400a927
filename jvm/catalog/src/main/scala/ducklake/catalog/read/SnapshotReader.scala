package ducklake.catalog.read

import ducklake.catalog.cache.LakeHistory
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
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.SnapshotSql

import java.time.Instant

/** Reads snapshots, each with one statement. */
final class SnapshotReader(database: Database, dataPaths: DataPaths) {
  private val sql = new SnapshotSql(database.dialect)
  private val history = new LakeHistory

  /** None when the database has no lake. */
  def newest(): Option[CatalogHead] =
    if (!database.exists) None else found("read the newest snapshot", sql.head)

  /** None when the database has no lake, or the lake has not this snapshot. */
  def at(id: SnapshotId): Option[CatalogHead] =
    if (!database.exists) None else found(s"read snapshot ${id.value}", sql.at(id, _))

  private def found(attempted: String, statement: SnapshotId => Sql): Option[CatalogHead] =
    history
      .follow { known =>
        val asked = statement(known.fold(SnapshotReader.NoSnapshot)(_.id))
        database.single(attempted)(_.firstIfTable(asked)(row => sighting(row)))
      }
      .map { case (head, number) => head(number) }

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
    database.single("read the options")(_.query(sql.options(version))(OptionDecoder.decode))

  /** The options of a catalog of version 1.0, as other statements of the session see them. */
  def optionsIn(session: Session): Vector[LakeOption] =
    session.query(sql.options(FormatVersion.V10))(OptionDecoder.decode)

  /** The newest snapshot as other statements of the session see it.
    *
    * @param known a snapshot of which the time is asked for, too
    */
  def newestIn(session: Session, known: SnapshotId): TransactionHead =
    session
      .first(sql.head(known)) { row =>
        TransactionHead(
          decodeSnapshot(row),
          decodeVersion(row),
          row.instantOption(SnapshotReader.KnownAt),
        )
      }
      .getOrElse(throw new LakeException(emptied))

  /** The version of the catalog as other statements of the session see it. */
  def versionIn(session: Session): FormatVersion =
    newestIn(session, SnapshotReader.NoSnapshot).version

  /** As [[newestIn]], of a session that reads the lake at a snapshot that was found before.
    *
    * Errors: NoSuchSnapshot when it has expired since, or the lake was put back from a copy: what is
    * found under its number would be other rows, or too few.
    */
  def stillIn(session: Session, known: Snapshot): TransactionHead = {
    val seen = newestIn(session, known.id)
    if (!seen.has(known)) {
      val oldest = session.first(sql.range)(_.long(1)).fold("none")(_.toString)
      throw new LakeException(
        LakeError.NoSuchSnapshot(
          s"${known.id.value} of ${known.time}",
          oldest,
          seen.snapshot.id.value.toString,
        )
      )
    }
    seen
  }

  private def emptied: LakeError =
    LakeError.CorruptCatalog(s"the lake at ${database.display}", "it has no snapshot")

  private def sighting(row: Row): LakeHistory.Sighting[Long => CatalogHead] = {
    val snapshot = decodeSnapshot(row)
    val version = decodeVersion(row)
    val stored = row.text(7)
    val firstSchema = row.textOption(8).getOrElse("")
    LakeHistory.Sighting(
      number =>
        CatalogHead(
          snapshot,
          version,
          dataPaths.inForce(stored),
          LakeIdentity(firstSchema, stored, number),
        ),
      snapshot,
      row.instantOption(SnapshotReader.KnownAt),
    )
  }

  private def decodeVersion(row: Row): FormatVersion = {
    val version = row.text(6)
    FormatVersion.of(version).getOrElse(throw new LakeException(unsupported(version)))
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

private object SnapshotReader {

  /** Where the time of the known snapshot stands in a row of a head. */
  val KnownAt: Int = 9

  /** The id of no snapshot. */
  val NoSnapshot: SnapshotId = SnapshotId(-1)
}
