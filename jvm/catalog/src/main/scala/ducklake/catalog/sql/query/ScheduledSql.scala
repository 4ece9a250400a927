package ducklake.catalog.sql.query

import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.Sql.Interpolator

import java.time.Instant

/** The question for the files scheduled for deletion. */
final class ScheduledSql(dialect: Dialect) {

  /** Columns: path, whether it is relative, time at which it was scheduled; ordered by path. Times
    * that the database does not sort in their order satisfy the condition.
    *
    * @param before only files that may have been scheduled before; None: all files
    * @param after all paths of the page are greater
    */
  def page(before: Option[Instant], after: String, limit: Int): Sql = {
    val isDue = before.fold(Sql.empty) { time =>
      val older = sql"schedule_start < ${dialect.moment(Bind.Moment(time))}"
      val mayBeOlder = dialect
        .isUnsorted(Sql.identifier("schedule_start"))
        .fold(older)(unsorted => sql"($older OR $unsorted)")
      sql"AND $mayBeOlder"
    }
    sql"""SELECT path, path_is_relative, schedule_start
         |FROM ${dialect.table(MetadataSchema.ScheduledForDeletion)}
         |WHERE path > $after $isDue
         |ORDER BY path
         |LIMIT ${limit.toLong}"""
  }
}
