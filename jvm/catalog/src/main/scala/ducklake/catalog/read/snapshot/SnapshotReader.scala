package ducklake.catalog.read.snapshot

import ducklake.catalog.cache.LakeHistory
import ducklake.catalog.cache.LakeIdentity
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Row
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.Snapshot
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.NamedSnapshot
import ducklake.catalog.option.RegisteredReader
import ducklake.catalog.path.DataPaths
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.query.SnapshotSql
import ducklake.catalog.sql.query.TimeSide
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.time.Instant

/** Reads snapshots. Each method runs one statement. */
final class SnapshotReader(database: Database, dataPaths: DataPaths) {
  private val sql = new SnapshotSql(database.dialect)
  private val history = new LakeHistory
  private val versions = new FormatVersionReader(database)

  /** None when the database has no lake. */
  def newest(): Option[CatalogHead] =
    if (!database.exists) None else found("read the newest snapshot", sql.head)

  /** None when the database has no lake, or the lake does not have this snapshot. */
  def at(id: SnapshotId): Option[CatalogHead] =
    if (!database.exists) None else found(s"read snapshot ${id.value}", sql.at(id, _))

  private def found(attempted: String, statement: SnapshotId => Sql): Option[CatalogHead] =
    history
      .follow { known =>
        val asked = statement(known.fold(SnapshotReader.NoSnapshot)(_.id))
        database.single(attempted) { session =>
          session.firstIfTable(asked)(HeadRow.decode).map(sighting(_, session))
        }
      }
      .map { case (head, number) => head(number) }

  /** The newest snapshot at or before the time. Of snapshots with the same time, the one with the
    * highest id.
    */
  def atOrBefore(time: Instant): Option[SnapshotId] =
    nearest(time, Vector(TimeSide.AtOrBefore)).headOption

  /** The snapshots that are the nearest to the time, before it, at it and after it; at most four.
    */
  def around(time: Instant): Vector[SnapshotId] = nearest(time, TimeSide.all).distinct

  private def nearest(time: Instant, sides: Vector[TimeSide]): Vector[SnapshotId] =
    database.consistent(s"find the snapshot at $time") { session =>
      val unsorted = sql.unsortedTimes.flatMap(session.first(_)(_.long(1)))
      if (unsorted.forall(_ == 0))
        sides
          .flatMap(side => session.first(sql.nearest(time, side))(row => SnapshotId(row.long(1))))
      else {
        val found = new NearestSnapshots(time, sides)
        session.foreach(sql.times)(row => found.add(SnapshotId(row.long(1)), row.instant(2)))
        found.result()
      }
    }

  /** The time of a snapshot; None when the lake does not have it. */
  def timeOf(id: SnapshotId): Option[Instant] =
    database.single(s"look for snapshot ${id.value}")(_.first(sql.timeOf(id))(_.instant(1)))

  /** The id and the time of the newest snapshot, by a shorter statement than [[newest]]. None when
    * the database has no lake.
    */
  def newestTime(): Option[(SnapshotId, Instant)] =
    if (!database.exists) None
    else database.single("look for new snapshots")(_.firstIfTable(sql.newest)(idAndTime))

  /** The ids and times of these snapshots, and of the oldest and the newest snapshot. Expired
    * snapshots are left out.
    */
  def timesOf(ids: Vector[SnapshotId]): Vector[(SnapshotId, Instant)] =
    database.single("read snapshots")(_.query(sql.timesOf(ids))(idAndTime))

  private def idAndTime(row: Row): (SnapshotId, Instant) =
    (SnapshotId(row.long(1)), row.instant(2))

  /** The smallest and the largest id of the snapshots that have not expired. */
  def range(): Option[(SnapshotId, SnapshotId)] =
    database
      .single("read the snapshots") { session =>
        session.first(sql.range)(row => row.longOption(1).zip(row.longOption(2)))
      }
      .flatten
      .map { case (first, last) => (SnapshotId(first), SnapshotId(last)) }

  /** The snapshots in which a row of the table begins. */
  def beginsOf(table: TableId): Set[SnapshotId] =
    database
      .single("read the snapshots of a table") {
        _.query(sql.beginsOf(table))(row => SnapshotId(row.long(1)))
      }
      .toSet

  def options(version: FormatVersion): Vector[LakeOption] =
    database.single("read the options")(stored(_, sql.options(version)))

  /** Options of a catalog that can be written, read in the transaction of the session: these keys,
    * as stored for the lake and for some schemas and tables. A lake may have an option for each
    * stream and table, so a commit does not read all options.
    */
  def optionsIn(
      session: Session,
      keys: Vector[String],
      schemas: Vector[SchemaId],
      tables: Vector[TableId],
  ): Vector[LakeOption] = stored(session, sql.options(keys, schemas, tables))

  /** The snapshots with names, read in the transaction of the session; ordered by name. */
  def namedIn(session: Session): Vector[NamedSnapshot] =
    NamedSnapshot.of(stored(session, sql.lakeOptions(NamedSnapshot.KeyPrefix)))

  /** The registered readers, read in the transaction of the session; ordered by name and table. */
  def readersIn(session: Session): Vector[RegisteredReader] =
    RegisteredReader.of(stored(session, sql.tableOptions(RegisteredReader.KeyPrefix)))

  /** Whether the lake has the snapshot, read in the transaction of the session. */
  def isIn(session: Session, id: SnapshotId): Boolean =
    session.first(sql.timeOf(id))(_.instant(1)).nonEmpty

  private def stored(session: Session, question: Sql): Vector[LakeOption] =
    LakeOption.withoutReplaced(session.query(question)(OptionDecoder.decode))

  /** The newest snapshot, read in the transaction of the session.
    *
    * @param known a snapshot whose time is read too
    */
  def newestIn(session: Session, known: SnapshotId): TransactionHead =
    session
      .first(sql.head(known))(HeadRow.decode)
      .map(row => TransactionHead(row.snapshot, version(row, session), row.knownTime))
      .getOrElse(throw new LakeException(emptied))

  /** The version of the catalog, read in the transaction of the session. */
  def versionIn(session: Session): FormatVersion =
    newestIn(session, SnapshotReader.NoSnapshot).version

  /** Like [[newestIn]], for a session that reads the lake at a snapshot found earlier. Checks that
    * the lake still has that snapshot, in the same version of the catalog.
    *
    * Errors: NoSuchSnapshot when the snapshot has expired since, or the lake was restored from a
    * backup. The session would read too few rows, or rows of another snapshot with the same number.
    * Unsupported when the lake was migrated since: its tables have other columns now.
    */
  def stillIn(session: Session, head: CatalogHead): TransactionHead = {
    val known = head.snapshot
    val seen = unmigratedIn(session, head)
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

  /** Like [[newestIn]], for a session that reads the lake at a snapshot found earlier. Checks that
    * the catalog still has its version of that time.
    *
    * Errors: Unsupported when the lake was migrated since.
    */
  def unmigratedIn(session: Session, head: CatalogHead): TransactionHead = {
    val seen = newestIn(session, head.snapshot.id)
    if (seen.version != head.version)
      throw new LakeException(
        LakeError.Unsupported(
          s"A statement that began before the lake was migrated from ${head.version.text} to " +
            seen.version.text,
          "Run it again.",
        )
      )
    seen
  }

  private def emptied: LakeError =
    LakeError.CorruptCatalog(s"the lake at ${database.display}", "it has no snapshot")

  private def sighting(
      row: HeadRow,
      session: Session,
  ): LakeHistory.Sighting[Long => CatalogHead] = {
    val found = version(row, session)
    LakeHistory.Sighting(
      number => {
        val folder = dataPaths.inForce(row.dataPath)
        CatalogHead(
          row.snapshot,
          found,
          folder.path,
          LakeIdentity(row.firstSchema, row.dataPath, number),
          row.isEncrypted,
          folder.doubt,
        )
      },
      row.snapshot,
      row.knownTime,
    )
  }

  private def version(row: HeadRow, session: Session): FormatVersion =
    versions.version(row.version, s"${row.firstSchema} ${row.dataPath}", session)
}

/** A row of the head statement. */
private[snapshot] final case class HeadRow(
    snapshot: Snapshot,
    version: String,
    dataPath: String,
    firstSchema: String,
    knownTime: Option[Instant],
    isEncrypted: Boolean,
)

private[snapshot] object HeadRow {

  def decode(row: Row): HeadRow =
    HeadRow(
      snapshot(row),
      row.text(6),
      row.text(7),
      row.textOption(8).getOrElse(""),
      row.instantOption(9),
      row.textOption(10).exists(_.equalsIgnoreCase("true")),
    )

  def snapshot(row: Row): Snapshot =
    Snapshot(SnapshotId(row.long(1)), row.instant(2), row.long(3), row.long(4), row.long(5))
}

private object SnapshotReader {

  /** An id that no snapshot has. */
  val NoSnapshot: SnapshotId = SnapshotId(-1)
}
