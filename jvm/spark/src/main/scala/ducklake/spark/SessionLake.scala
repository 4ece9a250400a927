package ducklake.spark

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.Lakes
import ducklake.catalog.change.CommitInfo
import ducklake.catalog.change.Operation
import ducklake.catalog.change.PendingCommit
import ducklake.catalog.commit.CommitOutcome
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.config.CatalogConfig
import ducklake.spark.config.Pin
import ducklake.spark.internal.SessionSettings
import ducklake.spark.types.SparkTypes
import ducklake.spark.write.WriteSink

import java.util.Locale
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

  /** Makes the next snapshot of what a statement does that saw `base`. */
  def commit(base: LakeSnapshot, operations: Vector[Operation], info: CommitInfo): CommitOutcome = {
    val outcome = lake.commit(PendingCommit(base.snapshot, operations, info, inliningRowLimit))
    outcome match {
      case CommitOutcome.Committed(_) => announced.set(CommitInfo.none)
      case CommitOutcome.Staged(_) | CommitOutcome.Failed(_) | CommitOutcome.Unknown(_) => ()
    }
    outcome
  }

  private val announced = new AtomicReference[CommitInfo](CommitInfo.none)

  /** What the next commit of this session carries, where its own options do not say otherwise. */
  def announce(info: CommitInfo): Unit = announced.set(info)

  /** What a commit carries: its own options (`commit-author`, `commit-message`,
    * `commit-extra-info`), else what was announced, else the session's settings.
    */
  def commitInfo(options: Map[String, String]): CommitInfo = {
    val next = announced.get()
    val own = options.map { case (key, value) => key.toLowerCase(Locale.ROOT) -> value }
    def text(part: String, announced: Option[String]) =
      own
        .get(s"commit-$part")
        .orElse(announced)
        .orElse(SessionSettings.text(s"spark.ducklake.commit.$part"))
    CommitInfo(
      text("author", next.author),
      text("message", next.message),
      text("extra-info", next.extraInfo),
    )
  }

  /** What becomes of the rows that a statement writes. */
  def sink: WriteSink = WriteSink.CommitNow

  /** The lake for statements that commit by themselves. */
  def immediate: SessionLake = this

  /** Used where no stored option says otherwise. */
  def inliningRowLimit: Long =
    config.inliningRowLimit.getOrElse(SessionLake.DefaultInliningRowLimit)

  /** The snapshot a statement reads that names none; None while there is no lake yet. */
  def current(): Option[LakeSnapshot] =
    config.pin match {
      case None => lake.newest()
      case Some(Pin.Version(id)) => Some(lake.at(id))
      case Some(Pin.Time(instant)) => Some(lake.atOrBefore(instant))
    }
}

object SessionLake {

  /** DuckDB's own default. */
  private val DefaultInliningRowLimit = 10L
}
