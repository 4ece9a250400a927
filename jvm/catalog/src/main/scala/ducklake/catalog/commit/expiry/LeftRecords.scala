package ducklake.catalog.commit.expiry

import ducklake.catalog.change.operation.NumberedWrite
import ducklake.catalog.change.operation.WriteRecord
import ducklake.catalog.change.plan.ExpiryCriterion
import ducklake.catalog.jdbc.Database
import ducklake.catalog.sql.write.LeftoverSql
import ducklake.catalog.types.TableId

import java.time.Duration
import java.time.Instant

/** Removes the records of writers that committed nothing for a long time: before the time from
  * which snapshots are kept, and before [[LeftRecords.Shortest]]. A streaming query that is started
  * again later goes on with its next epoch. Only a query that was killed during its last commit,
  * before Spark recorded that commit, would write its last epoch a second time; an application
  * would write again what it repeats after that time (decision 21).
  */
private[expiry] final class LeftRecords(
    database: Database,
    sql: LeftoverSql,
    steps: ShortTransactions,
) {
  import LeftRecords.Stored

  def remove(criterion: ExpiryCriterion): Unit = criterion match {
    case ExpiryCriterion.Versions(_) => ()
    case ExpiryCriterion.OlderThan(time) =>
      val last = Seq(time, now.minus(LeftRecords.Shortest)).min
      val left = stored().filter { record =>
        WriteRecord.parse(record.value).flatMap(_.at).exists(_.isBefore(last))
      }
      left.grouped(LeftRecords.PerStep).foreach { some =>
        steps.once { session =>
          // The value is compared again, because the writer may have committed since.
          some.foreach { record =>
            session.execute(sql.removeTableOption(record.key, record.table, record.value))
          }
        }
      }
  }

  private def stored(): Vector[Stored] =
    database.single("look for the records of writers") { session =>
      NumberedWrite.KeyPrefixes.flatMap { prefix =>
        session.query(sql.tableOptions(prefix)) { row =>
          Stored(row.text(1), TableId(row.long(2)), row.text(3))
        }
      }
    }

  private def now: Instant =
    database.now()
}

private[expiry] object LeftRecords {

  /** The shortest time for which the record of a writer is kept. */
  val Shortest: Duration = Duration.ofDays(30)

  private val PerStep = 100

  private final case class Stored(key: String, table: TableId, value: String)
}
