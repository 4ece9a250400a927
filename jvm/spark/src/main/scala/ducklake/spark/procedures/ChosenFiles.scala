package ducklake.spark.procedures

import ducklake.spark.maintenance.compact.FilesWhere

/** The files that the argument `where` of a procedure chooses. */
private[procedures] object ChosenFiles {

  /** Errors: InvalidArgument for a condition without a table, whose columns it is about. */
  def of(
      procedure: String,
      arguments: Arguments,
      tableIndex: Int,
      whereIndex: Int,
  ): FilesWhere =
    arguments.text(whereIndex).fold[FilesWhere](FilesWhere.All) { condition =>
      if (arguments.text(tableIndex).isEmpty) arguments.fail("where", "needs `table_name`")
      FilesWhere.MayMatch(procedure, condition)
    }
}
