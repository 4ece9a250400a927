package ducklake.catalog.commit.migration

import ducklake.catalog.jdbc.Session
import ducklake.catalog.read.inlined.InlinedTableColumns
import ducklake.catalog.read.inlined.InlinedTables
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.query.VersionSql
import ducklake.catalog.sql.write.MigrationSql
import ducklake.catalog.types.TableId

/** Converts the columns of inlined tables that DuckDB made in PostgreSQL up to 0.3 to today's
  * types. DuckDB 1.5 does not convert them and then stores wrong texts in them.
  *
  * Source: format 14.12; DuckDB 1.5.5, observed, interop/test_migrated_inlining.
  *
  * @param version of the catalog, which already has the tables and columns of that version
  */
private[migration] final class InlinedConversion(
    session: Session,
    dialect: Dialect,
    version: FormatVersion,
) {
  private val sql = new MigrationSql(dialect)

  /** The statements of the conversion; empty when all columns have today's types. This method
    * changes nothing.
    */
  def statements(): Vector[Sql] = {
    val tables =
      session.query(new VersionSql(dialect).inlinedTables)(row => TableId(row.long(2))).distinct
    val conversions = tables.flatMap(of)
    if (conversions.isEmpty) conversions else sql.timesInUtc +: conversions
  }

  private def of(table: TableId): Vector[Sql] = {
    val declared = InlinedTables.of(session, dialect, table).filter(_.declared.nonEmpty)
    if (declared.isEmpty) Vector.empty
    else {
      val columns = new InlinedTableColumns(session, dialect, version, table)
      for {
        inlined <- declared
        column <- inlined.outdated(columns.of(inlined), dialect)
      } yield sql.convertInlined(inlined.name, Sql.identifier(column.name), column.today)
    }
  }
}
