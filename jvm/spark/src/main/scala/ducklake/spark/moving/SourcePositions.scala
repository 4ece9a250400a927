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

  /** Errors: UnreadableFile. */
  def of(file: SourceFile): DeletedPositions = {
    val known = file.deletes.collect {
      case SourceDeletes.Positions(path, _) =>
        shared(path).getOrElse(file.path, DeletedPositions.empty)
      case SourceDeletes.DeletionVector(path, offset, size) =>
        VectorInFile.read(opened(path), offset, size, table, conf)
      case SourceDeletes.InlineVector(bytes) =>
        DeletedPositions(DeletionVector.decodeBare(bytes.toArray))
    }
    val found = file.deletes
      .collect { case one: SourceDeletes.Equality => one }
      .groupBy(_.columns)
      .map { case (ids, some) =>
        equalities(ids).positions(opened(file.path), file.sizeBytes, some.map(equality))
      }
    (known ++ found).foldLeft(DeletedPositions.empty)(_.union(_))
  }

  private def equality(deletes: SourceDeletes.Equality): EqualityFile =
    EqualityFile(opened(deletes.path), deletes.sizeBytes)

  private def opened(path: String): String = PathResolver.hadoopPath(path)
}
