package ducklake.spark.metadata

import ducklake.catalog.Lake
import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.conflict.ChangeText
import ducklake.catalog.change.plan.ExpiryPlan
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.SnapshotInfo
import ducklake.catalog.model.SnapshotRequest
import ducklake.catalog.types.text.DuckDbNames
import org.apache.spark.sql.types.*

import scala.collection.immutable.ListMap

/** Snapshots as rows. Source: jvm/docs/procedures.md, `snapshots`. */
object SnapshotsTable {

  val schema: StructType = StructType(
    Array(
      StructField("snapshot_id", LongType),
      StructField("snapshot_time", TimestampType),
      StructField("schema_version", LongType),
      StructField("changes", MapType(StringType, ArrayType(StringType))),
      StructField("author", StringType),
      StructField("commit_message", StringType),
      StructField("commit_extra_info", StringType),
    )
  )

  /** The columns that `ducklake_snapshot` does not have. */
  private[metadata] val textColumns: Set[String] =
    Set("changes", "author", "commit_message", "commit_extra_info")

  def all(lake: Lake): LocalResult =
    new SnapshotListing(lake, SnapshotRequest(), isWanted = None, limit = None, schema)

  /** In `kept_for`, beside the names of readers. */
  private val InTransaction = "an open transaction"

  /** The columns of [[expired]]. */
  val expirySchema: StructType = schema
    .add("kept_as", ArrayType(StringType))
    .add("kept_for", ArrayType(StringType))
    .add("strands", ArrayType(StringType))

  /** The snapshots of an expiry, ordered by id: those that it removes, with the readers that lose
    * them, and those that stay, with their names and who needs them.
    *
    * Errors: CorruptCatalog for a snapshot whose changes cannot be read.
    */
  def expired(plan: ExpiryPlan): LocalResult = {
    def some(texts: Vector[String]) = Option.when(texts.nonEmpty)(texts.distinct)
    val removed = plan.listed.map { info =>
      val readers = plan.stranded.filter(_.read.value <= info.snapshot.id.value)
      (info, Vector(None, None, some(readers.map(_.name))))
    }
    val kept = plan.kept.map { one =>
      val needed = one.readers.map(_.name) ++ Option.when(one.isInUse)(InTransaction)
      (one.info, Vector(some(one.names), some(needed), None))
    }
    val rows = (removed ++ kept).sortBy(_._1.snapshot.id.value).map { case (info, why) =>
      row(info, parsed(info)) ++ why
    }
    new LocalResult(expirySchema, () => rows, hasPast = false)
  }

  /** The result of an expiry that has no plan. */
  def noneExpired: LocalResult = new LocalResult(expirySchema, () => Vector.empty, hasPast = false)

  /** The snapshots that changed the table: they created or altered it, inserted rows or deleted
    * rows.
    */
  def of(lake: Lake, table: LakeTable): LocalResult = {
    // The change names the table by its name at that time, and another table may have had the same
    // name.
    lazy val begins = lake.beginsOf(table.id)
    val numbered = ChangeSubject.Numbered(table.id.value)
    def isWanted(info: SnapshotInfo, changes: Vector[Change]): Boolean =
      changes.exists { change =>
        change.subject match {
          case _: ChangeSubject.Named =>
            change.kind == ChangeKind.CreatedTable && begins(info.snapshot.id)
          case subject: ChangeSubject.Numbered =>
            subject == numbered && !isAboutOtherObjects(change.kind)
        }
      }
    val request = SnapshotRequest(table = Some(table.id))
    new SnapshotListing(lake, request, Some(isWanted), limit = None, schema)
  }

  private def isAboutOtherObjects(kind: ChangeKind): Boolean =
    kind match {
      case ChangeKind.DroppedSchema | ChangeKind.DroppedView | ChangeKind.AlteredView |
          ChangeKind.DroppedScalarMacro | ChangeKind.DroppedTableMacro =>
        true
      case _ => false
    }

  private[metadata] def parsed(info: SnapshotInfo): Vector[Change] =
    ChangeText.parse(info.changesMade.getOrElse("")) match {
      case Right(changes) => changes
      case Left(error) => throw new LakeException(error)
    }

  private[metadata] def row(info: SnapshotInfo, changes: Vector[Change]): Vector[Any] = {
    val subjects = changes.groupMap(_.kind.key)(change => subject(change.subject))
    val byKey = ListMap.from(ChangeKind.keys.collect {
      case key if subjects.contains(key) => key -> subjects(key)
    })
    Vector(
      info.snapshot.id.value,
      info.snapshot.time,
      info.snapshot.schemaVersion,
      byKey,
      info.author,
      info.message,
      info.extraInfo,
    )
  }

  private def subject(subject: ChangeSubject): String =
    subject match {
      case ChangeSubject.Named(Vector(alone)) => alone
      case ChangeSubject.Named(parts) => parts.map(DuckDbNames.quotedWhereNeeded).mkString(".")
      case ChangeSubject.Numbered(id) => id.toString
    }
}
