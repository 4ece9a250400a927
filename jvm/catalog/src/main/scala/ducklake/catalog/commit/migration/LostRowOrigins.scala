package ducklake.catalog.commit.migration

/** Tables for which time travel gives different rows after the migration. Catalogs of 0.2 and 0.3
  * list how many rows of a merged file each snapshot has. The file itself does not record it, and
  * later versions have no place for the list. After the migration all rows of such a file are as
  * old as its oldest row.
  *
  * Source: DuckDB 1.5.5, which migrates in the same way, observed (format 1.5).
  *
  * @param tables sorted names
  * @param until the first snapshot from which on no rows change
  */
private[migration] final case class LostRowOrigins(tables: Vector[String], until: Long)

private[migration] object LostRowOrigins {

  /** @param files the table of each merged file, and its list, such as `2:1|3:3|4:4`
    * @return None without files
    */
  def of(files: Vector[(String, String)]): Option[LostRowOrigins] =
    Option.when(files.nonEmpty) {
      val last = files.map(_._2.split('|').last.takeWhile(_ != ':')).flatMap(_.toLongOption)
      LostRowOrigins(files.map(_._1).distinct.sorted, last.maxOption.getOrElse(0L))
    }
}
