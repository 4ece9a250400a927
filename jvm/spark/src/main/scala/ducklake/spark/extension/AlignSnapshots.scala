package ducklake.spark.extension

import ducklake.catalog.LakeSettings
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.spark.ddl.StagedRows
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.ducklake.ChangedTable

import java.util.UUID

/** Makes a query read all tables of one lake at one snapshot. It is the newest of the snapshots at
  * which the tables were loaded where each table has its analysed columns.
  *
  * Spark loads tables one after another and loads them again just before planning; this rule runs
  * after that. Relations with time travel keep their snapshots.
  *
  * The snapshot of a written table counts too: Spark reads a cached table as it was when it was
  * cached, and a writing statement does not read later changes of others. A row-level statement
  * reads everything at the snapshot of its table: that scan and the write have one snapshot, and
  * Spark before 4.2 may have loaded the other tables later.
  */
object AlignSnapshots extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val tables = plan.collectWithSubqueries { case relation: DataSourceV2Relation =>
      current(relation)
    }.flatten
    val written = target(plan)
    val snapshots =
      tables.groupBy(table => Source.of(table.session)).flatMap { case (lake, group) =>
        val loaded = group.map(_.snapshot) ++ written.get(lake).map(_.snapshot)
        Option.when(loaded.map(identity).distinct.length > 1) {
          val rowLevel = lake.living(written.get(lake).filter(_.isRowLevel).map(_.snapshot).toSeq)
          val allowed = if (rowLevel.isEmpty) lake.living(loaded) else rowLevel
          lake -> onDriver(commonSnapshot(group, allowed))
        }
      }
    if (snapshots.isEmpty) plan else align(plan, snapshots)
  }

  /** Orders the snapshots of a source in one transaction, which adds its generations to its base. */
  private def place(snapshot: LakeSnapshot): (Long, Long) =
    (snapshot.snapshot.id.value, snapshot.uncommitted.fold(-1L)(_.generation))

  private def identity(snapshot: LakeSnapshot): (Long, Option[(UUID, Long)]) =
    (snapshot.snapshot.id.value, snapshot.uncommitted.map(own => (own.transaction, own.generation)))

  private def align(plan: LogicalPlan, snapshots: Map[Source, LakeSnapshot]): LogicalPlan =
    plan.transformUpWithSubqueries { case relation: DataSourceV2Relation =>
      val aligned = for {
        table <- current(relation)
        snapshot <- snapshots.get(Source.of(table.session))
        moved <- table.at(snapshot)
      } yield relation.copy(table = new DuckLakeTable(moved))
      aligned.getOrElse(relation)
    }

  /** The lake to which the statement writes, at the snapshot on which its commit is based. */
  private def target(plan: LogicalPlan): Map[Source, Written] = plan match {
    case write: V2WriteCommand =>
      write.table match {
        case relation: DataSourceV2Relation =>
          val changed = ChangedTable.of(relation.table)
          changed.getOrElse(relation.table) match {
            case table: DuckLakeTable =>
              Map(Source.of(table.at.session) -> Written(table.at.snapshot, changed.isDefined))
            case rows: StagedRows =>
              Map(Source.of(rows.session) -> Written(rows.base, isRowLevel = false))
            case _ => Map.empty
          }
        case _ => Map.empty
      }
    case _ => Map.empty
  }

  /** The newest of the snapshots at which all tables have their columns. Errors: ConcurrentChange
    * without a common snapshot.
    */
  private def commonSnapshot(
      tables: Seq[TableAtSnapshot],
      allowed: Seq[LakeSnapshot],
  ): LakeSnapshot = {
    val snapshots = allowed.distinctBy(place).sortBy(place).reverse
    snapshots.find(s => tables.forall(_.at(s).isDefined)).getOrElse {
      SparkErrors.raise(
        LakeError.ConcurrentChange(tables.map(_.name).distinct.sorted.mkString(", "))
      )
    }
  }

  /** The snapshot of a written table.
    *
    * @param isRowLevel whether the statement also reads this table at the snapshot
    */
  private final case class Written(snapshot: LakeSnapshot, isRowLevel: Boolean)

  /** A lake; for a session with an open transaction, the lake as this session sees it. */
  private final case class Source(lake: LakeSettings, transaction: Option[SessionLake]) {

    /** The snapshots without those of transactions that are over: a DataFrame that was made in one
      * still has them.
      */
    def living(loaded: Seq[LakeSnapshot]): Seq[LakeSnapshot] = {
      val now = transaction.flatMap(_.transaction.open).map(_.id)
      loaded.filter(_.uncommitted.forall(own => now.contains(own.transaction)))
    }
  }

  private object Source {
    def of(session: SessionLake): Source =
      Source(
        session.config.lake,
        Option.when(session.transaction.open.isDefined)(session.immediate),
      )
  }

  /** The lake table that a relation reads; None when the query names a snapshot for it, or when its
    * catalog is pinned to one.
    */
  private def current(relation: DataSourceV2Relation): Option[TableAtSnapshot] =
    relation.table match {
      case table: DuckLakeTable if !table.at.isPast =>
        Some(table.at).filter(_.session.config.pin.isEmpty)
      case _ => None
    }
}
