package ducklake.spark.moving

import ducklake.files.delete.DeletedPositions
import ducklake.files.delete.DeletionVector
import ducklake.files.foreign.EqualityDeletes
import ducklake.files.foreign.EqualityFile
import ducklake.files.foreign.PathPositions
import ducklake.files.foreign.VectorInFile
import ducklake.files.path.PathResolver
import org.apache.hadoop.conf.Configuration

/** The deleted positions of data files of a source. A delete file that several of them share is read
  * once.
  *
  * @param table for messages
  */
private[moving] final class SourcePositions(
    files: Vector[SourceFile],
    table: String,
    conf: Configuration,
) {

  private val deletes: Vector[SourceDeletes] = files.flatMap(_.deletes).distinct

  private lazy val shared: Map[String, Map[String, DeletedPositions]] = {
    val wanted = files.map(_.path).toSet
    deletes.collect { case one: SourceDeletes.Positions =>
      one.path -> PathPositions.read(opened(one.path), one.sizeBytes, wanted, table, conf)
    }.toMap
  }

  private lazy val equalities: Map[Vector[Int], EqualityDeletes] =
    deletes
      .collect { case one: SourceDeletes.Equality => one }
      .groupBy(_.columns)
      .map { case (ids, some) =>
        ids -> EqualityDeletes.read(some.map(equality), ids, table, conf)
      }

  /** The positions of each version of a data file. What a version has in common with the one before
    * is not read again, and the rows of the file are compared once.
    *
    * @param versions at least one
    *
    * Errors: UnreadableFile.
    */
  def ofVersions(versions: Vector[SourceFile]): Iterator[DeletedPositions] = {
    val compared = comparedWith(versions)
    val nothing = (Set.empty[SourceDeletes], DeletedPositions.empty)
    versions.iterator
      .scanLeft(nothing) { case ((before, positions), file) =>
        val now = file.deletes.toSet
        val (known, more) =
          if (before.subsetOf(now)) (positions, now -- before) else (DeletedPositions.empty, now)
        (now, more.map(read(file, _, compared)).foldLeft(known)(_.union(_)))
      }
      .drop(1)
      .map(_._2)
  }

  private def read(
      file: SourceFile,
      deletes: SourceDeletes,
      compared: Map[SourceDeletes, DeletedPositions],
  ): DeletedPositions = deletes match {
    case SourceDeletes.Positions(path, _) =>
      shared(path).getOrElse(file.path, DeletedPositions.empty)
    case SourceDeletes.DeletionVector(path, offset, size, _) =>
      VectorInFile.read(opened(path), offset, size, rowsOf(file), table, conf)
    case SourceDeletes.InlineVector(bytes, _) =>
      DeletedPositions.of(DeletionVector.decodeBare(bytes.toArray, rowsOf(file)))
    case one: SourceDeletes.Equality => compared(one)
  }

  /** Any number where the table does not say it. */
  private def rowsOf(file: SourceFile): Long = file.recordCount.getOrElse(Long.MaxValue)

  /** The rows of a data file that each equality delete file deletes. */
  private def comparedWith(versions: Vector[SourceFile]): Map[SourceDeletes, DeletedPositions] = {
    val file = versions.last
    val all = versions
      .flatMap(_.deletes)
      .distinct
      .collect { case one: SourceDeletes.Equality => one }
    all.groupBy(_.columns).flatMap { case (ids, some) =>
      val found = equalities(ids).positions(opened(file.path), file.sizeBytes, some.map(equality))
      some.map(one => one -> found.getOrElse(equality(one), DeletedPositions.empty))
    }
  }

  private def equality(deletes: SourceDeletes.Equality): EqualityFile =
    EqualityFile(opened(deletes.path), deletes.sizeBytes)

  private def opened(path: String): String = PathResolver.hadoopPath(path)
}
