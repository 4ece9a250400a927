package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.Snapshot
import ducklake.catalog.staged.Uncommitted
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.sparkapi.catalog.CachedTables
import ducklake.spark.types.SparkColumns
import ducklake.spark.types.TextLengths
import org.apache.spark.sql.connector.catalog

/** A table of a session's lake at one snapshot. Scans, writes and row-level operations work on it.
  *
  * Two objects are equal when lake, table, snapshot and the changes that a transaction made to the
  * table are equal, so that Spark can compare plans.
  * While Spark's cache has entries, two snapshots without changes of the table in between are also
  * equal, so that a cached result is found again after commits to other tables (decision 23).
  *
  * @param isPast whether the query names the snapshot
  */
final class TableAtSnapshot(
    val session: SessionLake,
    val snapshot: LakeSnapshot,
    val table: LakeTable,
    val isPast: Boolean = false,
) {

  /** The name with catalog and schema. */
  def name: String = s"${session.name}.${table.qualifiedName}"

  /** The snapshot's id; after it the generation of the changes that a transaction made to the
    * table, so that Spark loads the table again when the transaction changes it.
    */
  def version: String = {
    val id = snapshot.snapshot.id.value.toString
    uncommitted.fold(id)(own => s"$id+${own.generation}")
  }

  private def uncommitted: Option[Uncommitted] = snapshot.uncommitted(table.id)

  /** The columns as Spark sees them. */
  lazy val columns: Array[catalog.Column] =
    SparkColumns.of(table.columns, session.timeRule, TextLengths.of(table.tags))

  /** The same table at another snapshot. None when the table does not exist there or has other
    * columns.
    */
  def at(other: LakeSnapshot): Option[TableAtSnapshot] =
    if (other.snapshot.id == snapshot.snapshot.id && other.uncommitted == snapshot.uncommitted)
      Some(this)
    else
      other
        .table(table.schema.path, table.name)
        .filter(_.id == table.id)
        .map(new TableAtSnapshot(session, other, _))
        .filter(_.columns.sameElements(columns))

  /** The same for a query that names the snapshot. */
  def inPast: TableAtSnapshot = new TableAtSnapshot(session, snapshot, table, isPast = true)

  // The last answer, because Spark compares a table with the same other table again and again.
  @volatile private var compared: Option[(Snapshot, Boolean)] = None

  private def identity: (Any, Any, Any) = (session.config.lake, table, uncommitted)

  override def equals(other: Any): Boolean = other match {
    case that: TableAtSnapshot =>
      (this eq that) || identity == that.identity &&
      (own == that.own || CachedTables.areThere && isUntouched(that))
    case _ => false
  }

  private def own: Snapshot = snapshot.snapshot

  /** Whether the table is unchanged between the two snapshots. */
  private def isUntouched(that: TableAtSnapshot): Boolean =
    if (own.id.value < that.own.id.value) that.isUntouched(own) else isUntouched(that.own)

  private def isUntouched(since: Snapshot): Boolean = compared match {
    case Some((known, answer)) if known == since => answer
    case _ =>
      val answer = onDriver(snapshot.isUntouched(table, since))
      compared = Some((since, answer))
      answer
  }

  override def hashCode(): Int = identity.hashCode()

  override def toString: String = s"$name@$version"
}
