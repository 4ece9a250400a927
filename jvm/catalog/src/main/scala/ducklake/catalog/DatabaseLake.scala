package ducklake.catalog

import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.PendingCommit
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.change.plan.ExpiryPlan
import ducklake.catalog.commit.Committer
import ducklake.catalog.commit.OptionWriter
import ducklake.catalog.commit.ReaderRegistry
import ducklake.catalog.commit.SnapshotNames
import ducklake.catalog.commit.expiry.CatalogVacuum
import ducklake.catalog.commit.expiry.Expired
import ducklake.catalog.commit.expiry.ExpiringSnapshots
import ducklake.catalog.commit.expiry.OldMetadataCleanup
import ducklake.catalog.commit.expiry.ScheduleCleanup
import ducklake.catalog.commit.expiry.SnapshotExpiry
import ducklake.catalog.commit.migration.LakeVersions
import ducklake.catalog.commit.migration.Migration
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.engine.Databases
import ducklake.catalog.listing.ChangeBound
import ducklake.catalog.listing.ChangeBounds
import ducklake.catalog.listing.ChangePoint
import ducklake.catalog.listing.OtherLake
import ducklake.catalog.listing.ScheduledFile
import ducklake.catalog.model.OldMetadata
import ducklake.catalog.model.OldMetadataScope
import ducklake.catalog.model.Snapshot
import ducklake.catalog.model.SnapshotInfo
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.model.SnapshotRequest
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.NamedSnapshot
import ducklake.catalog.path.DataPaths
import ducklake.catalog.read.Readers
import ducklake.catalog.read.file.KnownFilesReader
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.read.snapshot.SnapshotCounts
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.types.Column
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.time.Instant

/** A lake whose metadata is in a database. Delegates to the readers. */
private[catalog] final class DatabaseLake(val settings: LakeSettings) extends Lake {

  private val database = Databases.open(
    settings.uri,
    settings.metadataSchema,
    settings.busyTimeoutMillis,
    settings.pool,
    settings.jdbcProperties,
    settings.web,
  )

  private val dataPaths = new DataPaths(
    settings.dataPath,
    settings.dataPathRule == DataPathRule.Override,
    (settings.uri.folder.toVector :+ DataPaths.workingFolder).distinct,
    new KnownFilesReader(database).some,
  )

  private val readers = new Readers(database, dataPaths, settings.planMemory)

  private val newLake = new NewLake(settings, database, dataPaths)

  private val migration: Option[Migration] = settings.migration match {
    case MigrationRule.Automatic =>
      Some(new Migration(database, readers.snapshots, settings.retry, settings.version))
    case MigrationRule.Refuse => None
  }

  private val committer = new Committer(database, readers.snapshots, settings.retry, migration)

  def newest(): Option[LakeSnapshot] = newestHead().map(opened)

  def at(id: SnapshotId): LakeSnapshot =
    readers.snapshots.at(id).map(opened).getOrElse(throw noSnapshot(id.value.toString))

  def named(name: String): Option[LakeSnapshot] =
    namedSnapshots().find(_.name == name).map { known =>
      readers.snapshots.at(known.id).map(opened).getOrElse {
        throw noSnapshot(s"${known.id.value}, which has the name `$name`,")
      }
    }

  def atOrBefore(time: Instant): LakeSnapshot =
    newestHead().flatMap(_ => readers.snapshots.atOrBefore(time)) match {
      case Some(id) => at(id)
      case None => throw noSnapshot(s"at or before $time")
    }

  def changeRange(from: ChangeBound, to: ChangeBound): Either[LakeError, SnapshotRange] = {
    val named = namedIn(Vector(from, to))
    val kept = newestHead().fold(Vector.empty[(SnapshotId, Instant)]) { _ =>
      readers.snapshots.timesOf(ChangeBounds.asked(from, to, named)(readers.snapshots.around))
    }
    new ChangeBounds(kept, named).range(from, to)
  }

  private def namedIn(bounds: Vector[ChangeBound]): Map[String, SnapshotId] = {
    val isAsked = bounds.map(_.point).collect { case ChangePoint.Named(name) => name }.toSet
    if (isAsked.isEmpty) Map.empty
    else
      namedSnapshots()
        .filter(known => isAsked(known.name))
        .map(known => known.name -> known.id)
        .toMap
  }

  def newestTime(): Option[(SnapshotId, Instant)] = readers.snapshots.newestTime()

  def timeOf(id: SnapshotId): Option[Instant] = readers.snapshots.timeOf(id)

  def listSnapshots(request: SnapshotRequest): Iterator[SnapshotInfo] =
    newestHead().iterator.flatMap(head => readers.snapshotList.list(head.version, request))

  def countSnapshots(range: SnapshotRange): SnapshotCounts = readers.snapshotList.count(range)

  def beginsOf(table: TableId): Set[SnapshotId] = readers.snapshots.beginsOf(table)

  def options(): Vector[LakeOption] =
    newestHead().fold(newLake.options)(head => readers.snapshots.options(head.version))

  def setOptions(changes: Vector[Operation.SetOptions]): Unit = {
    newestHead() match {
      case None => newLake.create()
      case Some(head) => migrationOf(head).foreach(_.run())
    }
    new OptionWriter(database, readers.snapshots, settings.retry).set(changes)
  }

  def keep(named: NamedSnapshot): Unit =
    if (!names.keep(named)) throw noSnapshot(named.id.value.toString)

  def release(name: String): Unit = names.release(name)

  def advanceReader(name: String, table: TableId, read: SnapshotId): Unit =
    readerRegistry.advance(name, table, read)

  def registerReader(name: String, table: TableId, read: SnapshotId): Unit =
    if (!readerRegistry.register(name, table, read)) throw noSnapshot(read.value.toString)

  def forgetReader(name: String, table: Option[TableId]): Unit = readerRegistry.forget(name, table)

  private def readerRegistry: ReaderRegistry =
    new ReaderRegistry(database, readers.snapshots, settings.retry)

  private def names: SnapshotNames =
    new SnapshotNames(database, readers.snapshots, settings.retry)

  def isThere(): Boolean = readers.snapshots.newest().nonEmpty

  def dataPath(): String = readers.snapshots.newest() match {
    case Some(head) => head.dataPath
    case None => newLake.dataPath
  }

  def scheduledForDeletion(before: Option[Instant]): Iterator[ScheduledFile] =
    newestHead().iterator.flatMap(head => readers.scheduledFiles.list(head.dataPath, before))

  def newestToWrite(): LakeSnapshot = newestHead().fold(newLake.snapshot())(checkedWritable)

  def prepareToWrite(): LakeSnapshot = {
    val head = newestHead().getOrElse(created())
    migrationOf(head) match {
      case None => checkedWritable(head)
      case Some(needed) =>
        head.dataPathDoubt.foreach(doubt => throw new LakeException(doubt))
        LakeVersions.checkWritable(needed.target)
        needed.run()
        newest().getOrElse(throw new LakeException(vanished))
    }
  }

  private def created(): CatalogHead = {
    newLake.create()
    newestHead().getOrElse(throw new LakeException(vanished))
  }

  private def checkedWritable(head: CatalogHead): LakeSnapshot = {
    head.dataPathDoubt.foreach(doubt => throw new LakeException(doubt))
    LakeVersions.checkWritable(versionToWrite(head))
    opened(head)
  }

  /** The version that the lake has after its next change: the version of the catalog, or the target
    * of the migration before the change.
    */
  private def versionToWrite(head: CatalogHead): FormatVersion =
    migrationOf(head).fold(head.version)(_.target)

  private def migrationOf(head: CatalogHead): Option[Migration] =
    migration.filter(_.isFor(head.version))

  def canInline(columns: Vector[Column], row: Vector[Literal]): Boolean =
    row.zip(columns).forall { case (value, column) =>
      database.dialect.inlinedValue(value, column).nonEmpty
    }

  def commit(pending: PendingCommit): CommitOutcome =
    if (pending.base != LakeSnapshot.First) committer.commit(pending)
    else
      firstSnapshot() match {
        case Right(base) => committer.commit(pending.copy(base = base))
        case Left(failed) => CommitOutcome.Failed(failed)
      }

  /** The first snapshot of the lake. Creates the lake when there is none. */
  private def firstSnapshot(): Either[LakeException, Snapshot] =
    try {
      newLake.create()
      readers.snapshots
        .at(LakeSnapshot.First.id)
        .filter(newLake.isAsExpected)
        .map(_.snapshot)
        .toRight(new LakeException(DatabaseLake.madeByOthers))
    } catch { case failed: LakeException => Left(failed) }

  def planExpiry(
      criterion: ExpiryCriterion,
      readersSince: Instant,
      inUse: Set[SnapshotId],
  ): Option[ExpiryPlan] =
    newestHead().map { head =>
      val newest = head.snapshot.id
      val expiring =
        new ExpiringSnapshots(database, readers.snapshots, criterion, newest, readersSince, inUse)
      def infos(ids: Vector[SnapshotId]) = readers.snapshotList.infos(head.version, ids)
      ExpiryPlan(
        head.snapshot,
        criterion,
        readersSince,
        inUse,
        infos(expiring.pages.flatten.take(ExpiryPlan.MostListed).toVector),
        infos(expiring.kept(ExpiryPlan.MostListed)).map(expiring.reasons),
        expiring.stranded,
      )
    }

  def expire(plan: ExpiryPlan): Expired = {
    val head = newestHead().getOrElse(throw new LakeException(vanished))
    new SnapshotExpiry(database, readers.snapshots, settings.retry)
      .run(plan, head.dataPath, head.version)
  }

  def oldMetadata(scope: OldMetadataScope): OldMetadata =
    newestHead().fold(OldMetadata.none)(head => cleanup(head).plan(scope))

  def removeOldMetadata(old: OldMetadata): Unit = newestHead().foreach { head =>
    cleanup(head).run(old, readers.snapshots, settings.retry, head.snapshot)
  }

  private def cleanup(head: CatalogHead): OldMetadataCleanup =
    new OldMetadataCleanup(database, head.version)

  def unschedule(files: Vector[ScheduledFile]): Unit = newestHead().foreach { head =>
    new ScheduleCleanup(database, readers.snapshots, settings.retry).remove(head.snapshot, files)
  }

  def foreachFile(action: String => Unit): Unit =
    newestHead().foreach(head => readers.knownFiles.foreach(head.dataPath)(action))

  def foreachScheduled(action: String => Unit): Unit =
    newestHead().foreach(head => readers.knownFiles.foreachScheduled(head.dataPath)(action))

  def schemaFolders(): Vector[String] =
    newestHead().fold(Vector.empty[String])(head => readers.knownFiles.schemaFolders(head.dataPath))

  def otherLakes(): Vector[OtherLake] = readers.otherLakes.all()

  def vacuum(): Unit = newestHead().foreach(_ => new CatalogVacuum(database).run())

  def clock(): Instant = database.now()

  def close(): Unit = closing.run()

  /** Closes the lake without a reference to it, because it runs after the last reference to the
    * lake is gone.
    */
  private[catalog] val closing: Runnable = DatabaseLake.closing(database, readers)

  private def vanished: LakeError =
    LakeError.CorruptCatalog(s"the lake at ${database.display}", "it vanished after it was made")

  /** Errors: InvalidSetting when the lake and the settings disagree on whether it is encrypted, as
    * in DuckDB.
    */
  private def opened(head: CatalogHead): LakeSnapshot = {
    if (settings.encryption.exists(_ != head.isEncrypted)) {
      val why = s"is ${!head.isEncrypted}, but the lake was made with ${head.isEncrypted}"
      throw new LakeException(LakeError.InvalidSetting("encrypted", why, "Leave it out."))
    }
    LakeSnapshot.of(head, versionToWrite(head), readers, database.dialect)
  }

  private def newestHead(): Option[CatalogHead] =
    readers.snapshots.newest().orElse {
      settings.absence match {
        case AbsenceRule.EmptyLake => None
        case AbsenceRule.Refuse(why) =>
          throw new LakeException(LakeError.NoLake(database.display, why))
      }
    }

  private def noSnapshot(asked: String): LakeException = {
    val kept = newestHead().flatMap(_ => readers.snapshots.range())
    def shown(id: Option[SnapshotId]) = id.fold("none")(_.value.toString)
    new LakeException(
      LakeError.NoSuchSnapshot(asked, shown(kept.map(_._1)), shown(kept.map(_._2)))
    )
  }
}

private object DatabaseLake {
  private val madeByOthers: LakeError =
    LakeError.Unsupported(
      "A statement that began before another session made the lake with other settings",
      "Run it again.",
    )

  private def closing(database: Database, readers: Readers): Runnable = () => {
    database.close()
    readers.forget()
  }
}
