package ducklake.spark.maintenance.rollback

import ducklake.catalog.Lake
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeSubject
import ducklake.catalog.change.conflict.ChangeText
import ducklake.catalog.change.plan.UndoRefusal
import ducklake.catalog.change.plan.UndoScope
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.model.SnapshotRequest
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** The tables of a commit that is undone, when nobody has changed them since.
  *
  * @param base the newest snapshot
  */
private[rollback] final class UndoneCommit(lake: Lake, base: LakeSnapshot, undone: SnapshotId) {

  /** Errors: NoSuchSnapshot for a snapshot that does not exist, or whose predecessor has expired.
    */
  private val after: LakeSnapshot = lake.at(undone)

  /** The snapshot before the commit. */
  val past: LakeSnapshot =
    if (undone.value == 0) refuse("names snapshot 0, which created the lake")
    else lake.at(SnapshotId(undone.value - 1))

  /** Errors: InvalidArgument when the commit changed something other than tables, when one of its
    * tables was changed since, and when a later snapshot has expired.
    */
  def tables(): Vector[TableId] = {
    requireLaterSnapshots()
    val next = SnapshotId(undone.value + 1)
    UndoScope.of(changes(), named, base.firstEntries(_, next)(_)) match {
      case Left(refusal) => refuse(why(refusal))
      case Right(scope) => scope.tables.toVector.sortBy(_.value).map(unmoved)
    }
  }

  private def requireLaterSnapshots(): Unit = {
    val range = SnapshotRange(undone, base.snapshot.id)
    val there = lake.countSnapshots(range)
    if (there.kept != range.last.value - range.first.value + 1)
      refuse(s"names snapshot ${undone.value}, and a later snapshot has expired")
    if (there.withChanges != there.kept) {
      val why = s"no row for a snapshot from ${range.first.value} to ${range.last.value}"
      throw new LakeException(LakeError.CorruptCatalog("ducklake_snapshot_changes", why))
    }
  }

  /** The changes of the commit. */
  private def changes(): Vector[Change] =
    lake
      .listSnapshots(SnapshotRequest(first = Some(undone), last = Some(undone)))
      .flatMap(_.changesMade)
      .toVector
      .flatMap(ChangeText.parse(_).fold(error => throw new LakeException(error), identity))

  private def named(parts: Vector[String]): Option[TableId] =
    after.table(parts.init, parts.last).map(_.id)

  /** The entry of a new name has no id, so names are compared here. */
  private def unmoved(table: TableId): TableId = {
    val (then, now) = (after.tableName(table), base.tableName(table))
    if (then != now) {
      val name = then.orElse(past.tableName(table)).orElse(now).getOrElse(table.value.toString)
      val fate = now.fold("was dropped since")(to => s"is named $to now")
      refuse(s"names snapshot ${undone.value}, which changed $name, and this table $fate")
    }
    table
  }

  private def why(refusal: UndoRefusal): String =
    refusal match {
      case UndoRefusal.NoTable => s"names snapshot ${undone.value}, which changed no table"
      case UndoRefusal.NotATable(change) =>
        val other = ChangeText.print(Vector(change))
        s"names snapshot ${undone.value}, which did not change tables alone ($other)"
      case UndoRefusal.ChangedSince(snapshot, change) =>
        s"names snapshot ${undone.value}, whose table ${name(change)} was changed by snapshot " +
          s"${snapshot.value} since (${ChangeText.print(Vector(change))})"
    }

  private def name(change: Change): String =
    change.subject match {
      case ChangeSubject.Named(parts) => parts.mkString(".")
      case ChangeSubject.Numbered(id) =>
        val table = TableId(id)
        after.tableName(table).orElse(past.tableName(table)).getOrElse(id.toString)
    }

  def refuse(why: String): Nothing =
    throw new LakeException(LakeError.InvalidArgument(RollbackProcedures.Undo, "snapshot", why))
}
