package ducklake.catalog.commit.migration

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.InlinedColumns
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.query.CommitSql
import ducklake.catalog.sql.query.VersionSql
import ducklake.catalog.sql.write.MigrationSql
import ducklake.catalog.types.TableId
import org.slf4j.LoggerFactory

import java.util.Locale

/** The renaming of the first three columns of all inlined tables, which is a part of the migration
  * to 1.1.
  *
  * Source: DuckDB 2.0 (format 14.12).
  */
private[migration] final class InlinedRenames(session: Session, dialect: Dialect) {
  private val sql = new MigrationSql(dialect)
  private val versions = new VersionSql(dialect)
  private val commits = new CommitSql(dialect)

  /** The statements of the renaming. This method changes nothing.
    *
    * Errors: Unsupported when a table has a column with one of the new names; CorruptCatalog for a
    * registered inlined table that does not exist, or begins with other columns.
    */
  def statements(): Vector[Sql] = {
    val tables =
      session.query(versions.inlinedTables)(row => (row.text(1), TableId(row.long(2)))).distinct
    tables.grouped(InlinedRenames.TablesPerQuestion).toVector.flatMap { some =>
      val columns = session
        .query(versions.columns(some.map(_._1)))(row => (row.text(1), row.text(2)))
        .groupMap(_._1)(_._2)
      some.flatMap { case (name, table) =>
        renames(name, table, columns.getOrElse(name, Vector.empty))
      }
    }
  }

  private def renames(name: String, table: TableId, columns: Vector[String]): Vector[Sql] = {
    val (own, others) = columns.map(_.toLowerCase(Locale.ROOT)).splitAt(InlinedColumns.Count)
    if (columns.isEmpty)
      corrupt(name, "the catalog lists it, and the database does not have it")
    if (own == InlinedRenames.newNames) Vector.empty
    else if (own != InlinedRenames.oldNames)
      corrupt(name, s"its first columns are ${own.mkString(", ")}")
    else {
      others.find(InlinedRenames.newNames.contains).foreach(collide(table, _))
      others.filter(_.startsWith(InlinedRenames.Prefix)).foreach { column =>
        InlinedRenames.log.warn(
          "Column `{}` of {} has a name that is reserved in lakes of version 1.1.",
          column,
          nameOf(table),
        )
      }
      InlinedColumns.Plain.all
        .zip(InlinedColumns.Prefixed.all)
        .map { case (from, to) => sql.renameColumn(name, from, to) }
    }
  }

  private def nameOf(table: TableId): String =
    session.first(commits.tableName(table))(_.text(2)).getOrElse(s"table ${table.value}")

  private def collide(table: TableId, column: String): Nothing =
    throw new LakeException(
      LakeError.Unsupported(
        s"Migrating a lake to 1.1 while `${nameOf(table)}` has a column `$column`, a name that 1.1 " +
          "needs for itself,",
        "Nothing was changed. Rename the column and call `flush_inlined_data` for the table first.",
      )
    )

  private def corrupt(name: String, why: String): Nothing =
    throw new LakeException(LakeError.CorruptCatalog(s"the inlined table $name", why))
}

private object InlinedRenames {
  private val log = LoggerFactory.getLogger(classOf[InlinedRenames])

  private val TablesPerQuestion = 100
  private val Prefix = "_ducklake_"
  private val oldNames: Vector[String] = InlinedColumns.Plain.all.map(_.text)
  private val newNames: Vector[String] = InlinedColumns.Prefixed.all.map(_.text)
}
