package ducklake.catalog.commit.expiry

import ducklake.catalog.jdbc.Database
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.write.LeftoverSql
import ducklake.catalog.types.TableId

/** Removes inlined deletes from data files that no longer exist. Tables without inlined deletes of
  * this kind cost a part of one query, and no transaction.
  */
private[expiry] final class LeftInlinedDeletes(
    database: Database,
    sql: LeftoverSql,
    steps: ShortTransactions,
) {
  import LeftInlinedDeletes.*

  def remove(tables: Vector[TableId]): Unit =
    tables.map(InlinedSql.deletesTable).grouped(TablesPerQuestion).foreach { names =>
      val left = database.single("look for deletes from files that are gone") { session =>
        sql.withInlinedDeletes(session.tables(names)).toVector.flatMap { question =>
          session.query(question)(_.text(1))
        }
      }
      if (left.nonEmpty)
        steps.once { session =>
          session.tables(left).foreach(name => session.execute(sql.removeInlinedDeletes(name)))
        }
    }
}

private object LeftInlinedDeletes {
  private val TablesPerQuestion = 100
}
