package ducklake.spark.moving

/** What differs between two versions of a source, by the paths of their files.
  *
  * @param added files that only the later version has
  * @param ended files that only the earlier version has
  * @param deleted files of both that have rows and other deletes, as the later version has them
  */
private[moving] final case class SourceChange(
    added: Vector[SourceFile],
    ended: Vector[SourceFile],
    deleted: Vector[SourceFile],
)

private[moving] object SourceChange {

  def between(before: SourceTable, now: SourceTable): SourceChange = {
    val old = before.files.map(file => file.stored -> file).toMap
    val current = now.files.map(_.stored).toSet
    SourceChange(
      now.files.filterNot(file => old.contains(file.stored)),
      before.files.filterNot(file => current(file.stored)),
      now.files
        .filter(_.recordCount.forall(_ > 0))
        .filter(file => old.get(file.stored).exists(_.deletes.toSet != file.deletes.toSet)),
    )
  }
}
