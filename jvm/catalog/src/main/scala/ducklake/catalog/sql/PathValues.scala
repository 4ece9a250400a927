package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator

/** Values that a registered file takes from its path. The catalog keeps each as both bounds of its
  * column, and readers take it from there, so code that removes bounds must keep these bounds.
  *
  * Source: format 12.
  */
private[sql] object PathValues {

  /** A condition on `bounds`, rows of `ducklake_file_column_stats`: true unless the bound is a
    * value of the file's path. Written as NOT EXISTS, because PostgreSQL repeats a `NOT IN` over
    * many files for each row, and SQLite repeats a join with the mappings.
    */
  def areNotThese(dialect: Dialect): Sql =
    sql"""NOT EXISTS (
         |  SELECT 1
         |  FROM ${dialect.table(MetadataSchema.DataFile)} AS data
         |  WHERE data.data_file_id = bounds.data_file_id
         |    AND (data.mapping_id, bounds.column_id) IN (
         |      SELECT mapping_id, target_field_id
         |      FROM ${dialect.table(MetadataSchema.NameMapping)}
         |      WHERE is_partition = ${Bind.Flag(true)}))"""
}
