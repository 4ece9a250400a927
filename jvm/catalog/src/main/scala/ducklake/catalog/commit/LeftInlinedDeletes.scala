package ducklake.catalog.commit

import ducklake.catalog.jdbc.Database
import ducklake.catalog.model.TableId
import ducklake.catalog.sql.InlinedSql
import ducklake.catalog.sql.LeftoverSql

/** Removes inlined deletes from data files that are gone. Tables without such deletes cost a part of
  * one question, and no transaction.
  */
private[commit] final class LeftInlinedDeletes(
    database: Database,
    sql: LeftoverSql,
    steps: CatalogSteps,
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
