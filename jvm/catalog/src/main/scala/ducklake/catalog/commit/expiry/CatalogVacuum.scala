package ducklake.catalog.commit.expiry

import ducklake.catalog.jdbc.Database
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.write.ExpirySql
import ducklake.catalog.types.TableId

/** Rewrites the tables of a lake in its catalog database: metadata tables, inlined tables and
  * inlined deletes. Otherwise databases keep the bytes of removed rows until the space is reused.
  *
  * Source: ours, decision 26.
  */
private[catalog] final class CatalogVacuum(database: Database) {
  private val sql = new ExpirySql(database.dialect)

  /** Errors: those of [[Database.vacuum]]. */
  def run(): Unit = {
    val tables = database.single("list the tables of the catalog") { session =>
      val ids = session.query(sql.tableLifetimes)(_.long(1)).distinct
      val inlined = ids.grouped(CatalogVacuum.TablesPerQuestion).flatMap { some =>
        session.query(sql.inlinedTables(some))(_.text(1))
      }
      val deletes = ids.map(id => InlinedSql.deletesTable(TableId(id)))
      session.tables(MetadataSchema.all.map(_.name) ++ inlined ++ deletes).distinct
    }
    database.vacuum(tables.sorted)
  }
}

private object CatalogVacuum {
  private val TablesPerQuestion = 1000
}
