package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator

/** Values that a registered file takes from its path. The catalog keeps each as both bounds of its
  * column, and readers take it from there, so whoever removes bounds must leave these.
  *
  * Source: format 12.
  */
private[sql] object PathValues {

  /** Keeps rows of the statistics of files that are no such values.
    *
    * @param among which data files, called `data`, are asked about
    */
  def areNotThese(dialect: Dialect, among: Sql): Sql =
    sql"""(data_file_id, column_id) NOT IN (
         |  SELECT data.data_file_id, names.target_field_id
         |  FROM ${dialect.table(MetadataSchema.DataFile.name)} AS data
         |  JOIN ${dialect.table(MetadataSchema.NameMapping.name)} AS names
         |    ON names.mapping_id = data.mapping_id
         |  WHERE $among AND names.is_partition = ${Bind.Flag(true)})"""
}
