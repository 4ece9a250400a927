package ducklake.catalog.error

/** The text about more files than a plan may have in memory. */
private[error] object TooManyFilesText {

  /** @param most the number of files for which the bytes suffice */
  def apply(table: String, files: String, most: Long, bytes: Long): String =
    s"Cannot plan the read of $table: $files of its files may hold rows that are asked for, and " +
      s"the ${bytes >> 20} MiB of the driver's memory that a plan may take hold $most. Filter " +
      "by a column whose bounds or partition values tell the files apart, merge small files, give the " +
      "driver more memory (`spark.driver.memory`), or raise `planning.max-bytes`."
}
