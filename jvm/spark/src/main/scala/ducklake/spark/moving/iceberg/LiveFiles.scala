package ducklake.spark.moving.iceberg

import org.apache.iceberg.ContentFile
import org.apache.iceberg.DataFile
import org.apache.iceberg.DeleteFile
import org.apache.iceberg.FileContent
import org.apache.iceberg.FileFormat
import org.apache.iceberg.PartitionSpec
import org.apache.iceberg.util.ContentFileUtil

import scala.jdk.CollectionConverters.MapHasAsScala

/** A data file of a snapshot with the delete files that concern it. */
private[iceberg] final case class LiveFile(data: DataFile, deletes: Vector[DeleteFile]) {

  /** A deletion vector stands for all position deletes. */
  def applied: Vector[DeleteFile] =
    if (deletes.exists(_.format == FileFormat.PUFFIN))
      deletes.filter { one =>
        one.format == FileFormat.PUFFIN || one.content == FileContent.EQUALITY_DELETES
      }
    else deletes
}

/** The data files of a snapshot with their deletes, as snapshots add and remove both.
  *
  * Source: Iceberg's specification, "Scan Planning".
  *
  * @param files by location
  * @param shared delete files of partitions or of the whole table
  * @param unpartitioned the numbers of the specs without keys
  */
private[iceberg] final case class LiveFiles(
    files: Map[String, LiveFile],
    shared: Vector[DeleteFile],
    unpartitioned: Set[Int],
) {

  /** Without files that a snapshot has removed, and the locations of data files that have fewer delete
    * files then.
    */
  def without(data: Set[String], deletes: Vector[DeleteFile]): (LiveFiles, Set[String]) = {
    val left = files -- data
    val removed = deletes.map(LiveFiles.key).toSet
    def isLeft(one: DeleteFile) = !removed(LiveFiles.key(one))
    val others =
      if (removed.isEmpty) Map.empty[String, LiveFile]
      else
        left.collect {
          case (path, file) if !file.deletes.forall(isLeft) =>
            path -> file.copy(deletes = file.deletes.filter(isLeft))
        }
    (copy(files = left ++ others, shared = shared.filter(isLeft)), others.keySet)
  }

  /** With files that a snapshot has added, and the locations of data files that are new or may have
    * other deletes than before.
    */
  def and(data: Vector[DataFile], deletes: Vector[DeleteFile]): (LiveFiles, Set[String]) = {
    val fresh = data.map { file =>
      LiveFile(file.copyWithoutStats, shared.filter(concerns(_, file)))
    }
    val before = files ++ fresh.map(file => file.data.location -> file)
    val (ofFiles, others) = deletes.partition(ContentFileUtil.isFileScoped)
    val named = ofFiles.groupBy(one => ContentFileUtil.referencedDataFileLocation(one))
    val concerned = named.keySet.filter(before.contains) ++
      (if (others.isEmpty) Set.empty else before.keySet)
    val now = concerned.toVector.flatMap { path =>
      val file = before(path)
      val own = (named.getOrElse(path, Vector.empty) ++ others).filter(concerns(_, file.data))
      Option.when(own.nonEmpty)(path -> file.copy(deletes = file.deletes ++ own))
    }.toMap
    (
      copy(files = before ++ now, shared = shared ++ others),
      fresh.map(_.data.location).toSet ++ now.keySet,
    )
  }

  /** Whether a delete file deletes rows of a data file. */
  private def concerns(deletes: DeleteFile, data: DataFile): Boolean = {
    val (own, theirs) = (LiveFiles.sequence(data), LiveFiles.sequence(deletes))
    def isBeside =
      deletes.specId == data.specId && LiveFiles.place(deletes) == LiveFiles.place(data)
    if (deletes.content == FileContent.EQUALITY_DELETES)
      own < theirs && (unpartitioned(deletes.specId) || isBeside)
    else
      own <= theirs && Option(ContentFileUtil.referencedDataFileLocation(deletes))
        .fold(isBeside)(_ == data.location)
  }
}

private[iceberg] object LiveFiles {

  def of(
      planned: Vector[(DataFile, Vector[DeleteFile])],
      specs: java.util.Map[Integer, PartitionSpec],
  ): LiveFiles = {
    val shared = planned.flatMap(_._2).filterNot(ContentFileUtil.isFileScoped)
    LiveFiles(
      planned.map { case (data, deletes) => data.location -> LiveFile(data, deletes) }.toMap,
      shared.distinctBy(key),
      specs.asScala.collect { case (id, spec) if spec.isUnpartitioned => id.intValue }.toSet,
    )
  }

  /** A file of deletion vectors has those of several data files. */
  private def key(deletes: DeleteFile): (String, Option[Long]) =
    (deletes.location, Option(deletes.contentOffset).map(_.longValue))

  private def sequence(file: ContentFile[?]): Long =
    Option(file.dataSequenceNumber).fold(0L)(_.longValue)

  private def place(file: ContentFile[?]): Vector[Any] =
    Vector.tabulate(file.partition.size) { at =>
      file.partition.get(at, classOf[Object]) match {
        case text: CharSequence => text.toString
        case other => other
      }
    }
}
