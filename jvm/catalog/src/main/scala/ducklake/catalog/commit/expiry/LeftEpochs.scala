package ducklake.catalog.commit.expiry

import ducklake.catalog.change.operation.EpochRecord
import ducklake.catalog.change.operation.StreamEpoch
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.jdbc.Database
import ducklake.catalog.sql.write.LeftoverSql
import ducklake.catalog.types.TableId

import java.time.Duration
import java.time.Instant

/** Removes the last epochs of streaming queries that committed nothing for a long time: before the
  * time from which snapshots are kept, and before [[LeftEpochs.Shortest]]. A query that is
  * restarted later goes on with its next epoch. Only a query that was killed during its last
  * commit, before Spark recorded that commit, would write its last epoch a second time (decision
  * 21).
  */
private[expiry] final class LeftEpochs(
    database: Database,
    sql: LeftoverSql,
    steps: ShortTransactions,
) {
  import LeftEpochs.Stored

  def remove(criterion: ExpiryCriterion): Unit = criterion match {
    case ExpiryCriterion.Versions(_) => ()
    case ExpiryCriterion.OlderThan(time) =>
      val last = Seq(time, now.minus(LeftEpochs.Shortest)).min
      val left = stored().filter { epoch =>
        EpochRecord.parse(epoch.value).flatMap(_.at).exists(_.isBefore(last))
      }
      left.grouped(LeftEpochs.PerStep).foreach { some =>
        steps.once { session =>
          // The value is compared again, because the query may have committed since.
          some.foreach { epoch =>
            session.execute(sql.removeTableOption(epoch.key, epoch.table, epoch.value))
          }
        }
      }
  }

  private def stored(): Vector[Stored] =
    database.single("look for epochs of streaming queries") { session =>
      session.query(sql.tableOptions(StreamEpoch.KeyPrefix)) { row =>
        Stored(row.text(1), TableId(row.long(2)), row.text(3))
      }
    }

  private def now: Instant =
    database.dialect.clock
      .flatMap(clock => database.single("read the clock")(_.first(clock)(_.instant(1))))
      .getOrElse(Instant.now())
}

private[expiry] object LeftEpochs {

  /** The shortest time for which the last epoch of a query is kept. */
  val Shortest: Duration = Duration.ofDays(30)

  private val PerStep = 100

  private final case class Stored(key: String, table: TableId, value: String)
}
