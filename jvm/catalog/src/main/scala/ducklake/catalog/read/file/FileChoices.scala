package ducklake.catalog.read.file

import ducklake.catalog.sql.query.FileFilter

/** How statements select the files that are wanted. */
private[read] object FileChoices {

  /** Selects these files by id when they are few, else all files of the table. */
  def of(rows: Vector[DataFileRow]): Vector[FileFilter] =
    if (areMany(rows.size)) Vector(FileFilter.All) else byIds(rows.map(_.id))

  /** Selects these files by id when they are few, else leaves out others while rows are read. */
  def chosen(ids: Vector[Long]): Vector[FileFilter] =
    if (areMany(ids.size)) Vector(FileFilter.Chosen(ids.sorted.toArray)) else byIds(ids)

  def areMany(files: Int): Boolean = files > 5 * FileMetadataReader.BatchSize

  def byIds(ids: Vector[Long]): Vector[FileFilter] =
    ids.grouped(FileMetadataReader.BatchSize).map(FileFilter.Ids(_)).toVector
}
