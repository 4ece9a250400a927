package ducklake.spark.session

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.spark.types.SparkColumns
import org.apache.spark.sql.connector.catalog

/** A table of a session's lake at one snapshot. Scans, writes and row-level operations work on it.
  * Two of them are equal when lake, table and snapshot are equal, so that Spark can compare plans.
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

  /** The snapshot's id. */
  def version: String = snapshot.snapshot.id.value.toString

  /** The columns as Spark sees them. */
  lazy val columns: Array[catalog.Column] = SparkColumns.of(table.columns, session.timeRule)

  /** The same table at another snapshot. None when the table does not exist there or has other
    * columns.
    */
  def at(other: LakeSnapshot): Option[TableAtSnapshot] =
    if (other.snapshot.id == snapshot.snapshot.id) Some(this)
    else
      other
        .table(table.schema.path, table.name)
        .filter(_.id == table.id)
        .map(new TableAtSnapshot(session, other, _))
        .filter(_.columns.sameElements(columns))

  private def identity: (Any, Any, Any) = (session.config.lake, table, snapshot.snapshot)

  override def equals(other: Any): Boolean = other match {
    case that: TableAtSnapshot => identity == that.identity
    case _ => false
  }

  override def hashCode(): Int = identity.hashCode()

  override def toString: String = s"$name@$version"
}
