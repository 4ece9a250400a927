package ducklake.spark.session

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.operation.CommitInfo
import ducklake.catalog.change.operation.CommitOutcome
import ducklake.catalog.change.operation.LaterCommit
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.PendingCommit
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionRules
import ducklake.catalog.staged.StagedLake
import ducklake.catalog.types.SnapshotId
import ducklake.spark.config.CatalogConfig
import ducklake.spark.config.Pin
import ducklake.spark.sparkapi.catalog.CachedTables
import ducklake.spark.types.SparkTypes
import org.slf4j.LoggerFactory

import java.time.Instant
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicReference

/** A lake as one session registered it, with the catalog's name and settings. */
class SessionLake(val config: CatalogConfig, val timeRule: SparkTypes.TimeRule) {

  val lake: Lake = Lakes.open(config.lake)

  def name: String = config.name

  private lazy val ownTransaction = new SessionTransaction(config.name)

  /** The session's transaction over several statements. */
  def transaction: SessionTransaction = ownTransaction

  /** The snapshot that a statement sees, as the base of its commit: the newest, or that of the
    * transaction. Fails here when the registration or the lake forbids changes. A migration waits
    * for the commit, because Spark also analyses statements that it only explains, and some
    * statements find nothing to change.
    */
  def base(): LakeSnapshot = {
    refuseIfReadOnly()
    transaction.open.fold(lake.newestToWrite())(_.snapshot)
  }

  /** Like [[base]]; None when there is no lake. */
  final def baseIfAny(): Option[LakeSnapshot] = {
    refuseIfReadOnly()
    current().map(_ => base())
  }

  /** Like [[base]], but migrates the lake at once: for procedures that change it in several steps,
    * or without a commit.
    */
  def prepareToWrite(): LakeSnapshot = {
    refuseIfReadOnly()
    refuseInTransaction("A statement that changes the lake in several steps")
    lake.prepareToWrite()
  }

  /** Like [[prepareToWrite]], but does not create a lake: None when there is no lake. */
  def prepareToWriteIfAny(): Option[LakeSnapshot] = {
    refuseIfReadOnly()
    lake.newest().map(_ => prepareToWrite())
  }

  /** Refuses what cannot be part of a transaction.
    *
    * @param what the subject of the message
    */
  final def refuseInTransaction(what: String): Unit =
    if (transaction.open.isDefined) throw new LakeException(StagedLake.notInTransaction(what))

  /** The lake options that the next statement obeys: those that are stored, with the changes of the
    * transaction.
    */
  final def options(): Vector[LakeOption] = {
    val stored = lake.options()
    transaction.open.fold(stored)(_.staged.optionsOver(stored))
  }

  /** Changes options: at once, or with the transaction.
    *
    * @param base the snapshot that the statement sees
    */
  final def setOptions(base: LakeSnapshot, change: Operation.SetOptions): Unit =
    if (transaction.isOutside(base)) lake.setOptions(Vector(change))
    else transaction.stage(base, Vector(change), CommitInfo.none).fold(throw _, _ => ())

  /** Errors: ReadOnly. */
  private[spark] final def refuseIfReadOnly(): Unit = {
    val subject = s"lake `$name`"
    if (config.isReadOnly)
      throw new LakeException(
        LakeError.ReadOnly(subject, "the catalog is registered with `read-only`")
      )
    config.lake.uri match {
      case web: CatalogUri.Web =>
        throw new LakeException(LakeError.ReadOnly(subject, s"its catalog is read from ${web.url}"))
      case _ => ()
    }
    if (config.pin.isDefined)
      throw new LakeException(LakeError.ReadOnly(subject, "the catalog is pinned to a snapshot"))
  }

  /** Commits the operations of a statement that has read `base`. Missing parts of `info` are taken
    * from the announced commit info, otherwise from the session's settings. A numbered write is
    * recorded with the tables whose rows change.
    *
    * @param again plans the operations again on the newest snapshot; see [[PendingCommit]]
    */
  final def commit(
      base: LakeSnapshot,
      operations: Vector[Operation],
      info: StatementInfo,
      again: Option[() => Vector[Operation]] = None,
  ): CommitOutcome = commit(base, operations, completed(info), again)

  /** Commits with commit info that is complete, as [[completed]] makes it. What was announced after
    * that is left for a later commit. Within a transaction the operations become part of it.
    */
  def commit(
      base: LakeSnapshot,
      operations: Vector[Operation],
      info: CommitInfoInForce,
      again: Option[() => Vector[Operation]],
  ): CommitOutcome =
    if (transaction.isOutside(base)) commitNow(base, operations, info, again)
    else
      transaction.stage(base, recorded(operations, info), info.own.texts) match {
        case Right(_) =>
          refreshCache(operations)
          CommitOutcome.Staged(base.snapshot)
        case Left(failed) => CommitOutcome.Failed(failed)
      }

  private def commitNow(
      base: LakeSnapshot,
      operations: Vector[Operation],
      info: CommitInfoInForce,
      again: Option[() => Vector[Operation]],
  ): CommitOutcome = {
    val pending = PendingCommit(
      base.snapshot,
      recorded(operations, info),
      info.whole.texts,
      inliningRowLimit,
      again.map(plan => () => recorded(plan(), info)),
    )
    val outcome = finished(pending)
    if (outcome.committed.nonEmpty)
      announced.compareAndSet(info.announced, CommitInfo.none): Unit
    outcome
  }

  /** Commits snapshots with times and commit info of their own, all or none. What was announced is left
    * for a later commit.
    *
    * @param operations of the first snapshot
    * @param time of the first snapshot
    * @param info of the first snapshot
    *
    * Errors: Unsupported within a transaction, and when the lake has snapshots that are not older.
    */
  final def commitHistory(
      base: LakeSnapshot,
      operations: Vector[Operation],
      time: Option[Instant],
      info: CommitInfo,
      later: Vector[LaterCommit],
  ): CommitOutcome = {
    refuseInTransaction("A history")
    val first = recorded(operations, completed(StatementInfo.none))
    finished(
      PendingCommit(base.snapshot, first, info, inliningRowLimit, time = time, later = later)
    )
  }

  private def finished(pending: PendingCommit): CommitOutcome = {
    val outcome = lake.commit(pending)
    outcome match {
      case CommitOutcome.Committed(snapshot) =>
        last.set(Some(snapshot.id))
        refreshCache(pending.operations)
      // The commit may be in the lake, so Spark's cached results are computed again.
      case CommitOutcome.Unknown(_) => refreshCache(pending.operations)
      case CommitOutcome.Unchanged(_) | CommitOutcome.Repeated(_, _) | CommitOutcome.Staged(_) |
          CommitOutcome.Failed(_) =>
        ()
    }
    outcome
  }

  private def recorded(
      operations: Vector[Operation],
      info: CommitInfoInForce,
  ): Vector[Operation] =
    info.whole.write.fold(operations)(_.recordedWith(operations))

  private def refreshCache(operations: Vector[Operation]): Unit = {
    CachedTables.drop(ChangedTables.spelled(name, operations.flatMap(_.endedName)))
    CachedTables.refresh(ChangedTables.spelled(name, operations.flatMap(_.changedName)))
  }

  /** Lets Spark compute cached results of these tables again, and removes those of tables that a
    * transaction made.
    */
  private[spark] final def refreshCacheOf(tables: Vector[LakeTable]): Unit = {
    val (own, others) = tables.partition(table => UncommittedIds.contains(table.id.value))
    CachedTables.drop(ChangedTables.spelled(name, own.map(_.path)))
    CachedTables.refresh(ChangedTables.spelled(name, others.map(_.path)))
  }

  private val announced = new AtomicReference[CommitInfo](CommitInfo.none)
  private val last = new AtomicReference[Option[SnapshotId]](None)

  /** The snapshot that this session committed last. */
  def lastCommitted: Option[SnapshotId] = last.get()

  /** Sets the commit info of this session's next commit, or of its transaction. The options of a
    * write take precedence.
    */
  def announce(info: CommitInfo): Unit =
    if (!transaction.announce(info)) announced.set(info)

  /** Fills the missing parts of `info`. */
  private[session] def completed(info: StatementInfo): CommitInfoInForce = {
    val next = announced.get()
    val settings = StatementInfo.ofSession
    val texts = info.texts.orElse(next).orElse(settings.texts)
    CommitInfoInForce(info, StatementInfo(texts, info.write.orElse(settings.write)), next)
  }

  /** How the writes of a statement are committed. */
  def sink: WriteSink = WriteSink.CommitNow

  /** The lake for statements that commit at once, also within a transaction. */
  def immediate: SessionLake = this

  /** The limit when no stored option sets another limit. */
  def inliningRowLimit: Long =
    config.inliningRowLimit.getOrElse(OptionRules.DefaultInliningRows)

  /** Like [[current]], for statements that list or read. When there is no lake, a warning is logged
    * once.
    */
  final def currentToRead(): Option[LakeSnapshot] = {
    val found = current()
    if (found.isEmpty) warnOfAbsence()
    found
  }

  private val hasWarned = new AtomicBoolean

  private[session] def warnOfAbsence(): Unit =
    if (!hasWarned.getAndSet(true))
      SessionLake.log.warn(
        "There is no lake at {}: catalog `{}` looks empty, and the first statement that creates " +
          "something makes the lake. If there should be one, check `spark.sql.catalog.{}.uri`.",
        config.lake.uri.display,
        name,
        name,
      )

  /** The snapshot that a statement reads when it names no snapshot: the newest, or that of the
    * transaction. None when there is no lake yet.
    */
  def current(): Option[LakeSnapshot] = transaction.open.map(_.snapshot).orElse(committed())

  /** Like [[current]], without the changes of a transaction. */
  final def committed(): Option[LakeSnapshot] =
    config.pin match {
      case None => lake.newest()
      case Some(Pin.Version(id)) => Some(lake.at(id))
      case Some(Pin.Time(instant)) => Some(lake.atOrBefore(instant))
    }
}

private object SessionLake {
  private val log = LoggerFactory.getLogger(classOf[SessionLake])
}
