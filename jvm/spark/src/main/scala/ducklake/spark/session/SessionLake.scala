package ducklake.spark.session

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.CommitInfo
import ducklake.catalog.change.Operation
import ducklake.catalog.change.OptionRules
import ducklake.catalog.change.PendingCommit
import ducklake.catalog.commit.CommitOutcome
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.SnapshotId
import ducklake.spark.config.CatalogConfig
import ducklake.spark.config.Pin
import ducklake.spark.sparkapi.SessionSettings
import ducklake.spark.types.SparkTypes
import org.slf4j.LoggerFactory

import java.util.Locale
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicReference

/** A lake as one session registered it: its name there, its settings, its door. */
class SessionLake(val config: CatalogConfig, val timeRule: SparkTypes.TimeRule) {

  val lake: Lake = Lakes.open(config.lake)

  def name: String = config.name

  /** The newest snapshot, for a statement that changes the lake. Refuses, before anything is touched,
    * what the registration or the lake forbids.
    */
  def writable(): LakeSnapshot = {
    refuseIfReadOnly()
    lake.prepareToWrite()
  }

  /** As [[writable]], but makes no lake: None while there is none. */
  def writableIfAny(): Option[LakeSnapshot] = {
    refuseIfReadOnly()
    lake.newest().map(_ => writable())
  }

  private def refuseIfReadOnly(): Unit = {
    val subject = s"lake `$name`"
    if (config.isReadOnly)
      throw new LakeException(
        LakeError.ReadOnly(subject, "the catalog is registered with `read-only`")
      )
    if (config.pin.isDefined)
      throw new LakeException(LakeError.ReadOnly(subject, "the catalog is pinned to a snapshot"))
  }

  /** Makes the next snapshot of what a statement does that saw `base`. What `info` leaves open is
    * taken from what was announced, else from the session's settings.
    */
  def commit(base: LakeSnapshot, operations: Vector[Operation], info: CommitInfo): CommitOutcome = {
    val pending = PendingCommit(base.snapshot, operations, completed(info), inliningRowLimit)
    val outcome = lake.commit(pending)
    outcome match {
      case CommitOutcome.Committed(snapshot) =>
        announced.set(CommitInfo.none)
        committed.set(Some(snapshot.id))
      case CommitOutcome.Staged(_) | CommitOutcome.Failed(_) | CommitOutcome.Unknown(_) => ()
    }
    outcome
  }

  private val announced = new AtomicReference[CommitInfo](CommitInfo.none)
  private val committed = new AtomicReference[Option[SnapshotId]](None)

  /** The snapshot that this session made last. */
  def lastCommitted: Option[SnapshotId] = committed.get()

  /** What the next commit of this session carries, where its own options do not say otherwise. */
  def announce(info: CommitInfo): Unit = announced.set(info)

  /** What a write's own options say of its commit: `commit-author`, `commit-message`,
    * `commit-extra-info`.
    */
  def commitInfo(options: Map[String, String]): CommitInfo = {
    val own = options.map { case (key, value) => key.toLowerCase(Locale.ROOT) -> value }
    CommitInfo(
      own.get("commit-author"),
      own.get("commit-message"),
      own.get("commit-extra-info"),
    )
  }

  private def completed(info: CommitInfo): CommitInfo = {
    val next = announced.get()
    def setting(part: String) = SessionSettings.text(s"spark.ducklake.commit.$part")
    CommitInfo(
      info.author.orElse(next.author).orElse(setting("author")),
      info.message.orElse(next.message).orElse(setting("message")),
      info.extraInfo.orElse(next.extraInfo).orElse(setting("extra-info")),
    )
  }

  /** What becomes of the rows that a statement writes. */
  def sink: WriteSink = WriteSink.CommitNow

  /** The lake for statements that commit by themselves. */
  def immediate: SessionLake = this

  /** Used where no stored option says otherwise. */
  def inliningRowLimit: Long =
    config.inliningRowLimit.getOrElse(OptionRules.DefaultInliningRows)

  /** As [[current]], for what shows or reads: where there is no lake, the log says so, once. */
  final def shown(): Option[LakeSnapshot] = {
    val found = current()
    if (found.isEmpty) tellAbsence()
    found
  }

  private val absenceTold = new AtomicBoolean

  private[session] def tellAbsence(): Unit =
    if (!absenceTold.getAndSet(true))
      SessionLake.log.warn(
        "There is no lake at {}: catalog `{}` looks empty, and the first statement that creates " +
          "something makes the lake. If there should be one, check `spark.sql.catalog.{}.uri`.",
        config.lake.uri.display,
        name,
        name,
      )

  /** The snapshot a statement reads that names none; None while there is no lake yet. */
  def current(): Option[LakeSnapshot] =
    config.pin match {
      case None => lake.newest()
      case Some(Pin.Version(id)) => Some(lake.at(id))
      case Some(Pin.Time(instant)) => Some(lake.atOrBefore(instant))
    }
}

private object SessionLake {
  private val log = LoggerFactory.getLogger(classOf[SessionLake])
}
