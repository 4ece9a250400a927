package ducklake.catalog.commit.migration

/** Tables whose past reads otherwise after a migration. Catalogs of 0.2 and 0.3 list how many rows of
  * a merged file each snapshot has; the file itself does not say it, and later versions have no place
  * for the list. After the migration all rows of such a file are as old as its oldest row.
  *
  * Source: DuckDB 1.5.5, which migrates so too, observed (format 1.5).
  *
  * @param tables sorted names
  * @param until the smallest snapshot from which on nothing changes
  */
private[migration] final case class LostRuns(tables: Vector[String], until: Long)

private[migration] object LostRuns {

  /** @param files the table of each such file, and its list, such as `2:1|3:3|4:4`
    * @return None when there are no such files
    */
  def of(files: Vector[(String, String)]): Option[LostRuns] =
    Option.when(files.nonEmpty) {
      val last = files.map(_._2.split('|').last.takeWhile(_ != ':')).flatMap(_.toLongOption)
      LostRuns(files.map(_._1).distinct.sorted, last.maxOption.getOrElse(0L))
    }
}
