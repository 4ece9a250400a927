package ducklake.spark.moving.history

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.spark.errors.SparkErrors
import ducklake.spark.maintenance.add.FileOutcomes
import ducklake.spark.moving.AcceptedSources
import ducklake.spark.moving.DeletedFile
import ducklake.spark.moving.MovePlan
import ducklake.spark.moving.MovedFiles
import ducklake.spark.moving.NumberedSource
import ducklake.spark.moving.RewriteJob
import ducklake.spark.moving.SourceChange
import ducklake.spark.moving.SourceDeletesJob
import ducklake.spark.moving.SourceFile
import ducklake.spark.session.SessionLake
import org.apache.hadoop.conf.Configuration

/** A version of a source that is to be read and written.
  *
  * @param table as the operations name it, with the columns of the version
  * @param plan of the version
  */
private[moving] final case class PlannedVersion(
    table: LakeTable,
    plan: MovePlan,
    change: SourceChange,
) {

  /** Whether the files of both can be read in one job. */
  private[history] def isLike(other: PlannedVersion): Boolean =
    table == other.table && plan.keys == other.plan.keys &&
      plan.source.names == other.plan.source.names
}

/** Reads and writes the files of versions of a source, in tasks. The files of versions with the same
  * columns are read together, and the deletes of all versions.
  *
  * @param table as the operations name it
  */
private[moving] final class VersionFiles(
    lake: SessionLake,
    table: LakeTable,
    conf: Configuration,
) {

  private val deletes = new SourceDeletesJob(table.directory, table.qualifiedName, conf)

  /** What the footers of the files of all versions say, refused files included, and what the lake has
    * against the files: parts of a sentence.
    */
  def tried(versions: Vector[PlannedVersion]): (FileOutcomes, Vector[String]) = {
    val outcomes = alike(versions).map { some =>
      new MovedFiles(lake, some.head.table, conf)
        .footers(some.head.plan, NumberedSource.all(some.flatMap(_.change.added)))
    }
    (outcomes.reduce(_ ++ _), files.owned(versions.flatMap(_.change.added)))
  }

  /** After an error none of the files that it wrote is left.
    *
    * @param versions oldest first, at least one
    *
    * Errors: those of [[MovedFiles]] and of the jobs; Unsupported when deleted rows came back in a
    * file that the plan does not write again.
    */
  def write(versions: Vector[PlannedVersion]): WrittenVersions = {
    files.refuseOwned(versions.flatMap(_.change.added))
    val start = (Vector.empty[ReadVersion], FileOutcomes.none, Discarding.nothing)
    val (read, outcomes, discarding) = alike(versions).foldLeft(start) {
      case ((done, outcomes, discarding), some) =>
        discarding.after {
          val (more, found, own) = readTogether(some, done.map(_.change.added.size).sum)
          (done ++ more, outcomes ++ found, discarding.and(own))
        }
    }
    discarding.after(withDeletes(read, outcomes, discarding))
  }

  private def files: MovedFiles = new MovedFiles(lake, table, conf)

  /** Neighbours that are alike. */
  private def alike(versions: Vector[PlannedVersion]): Vector[Vector[PlannedVersion]] =
    versions.foldLeft(Vector.empty[Vector[PlannedVersion]]) { (done, version) =>
      done.lastOption.filter(_.head.isLike(version)) match {
        case Some(group) => done.init :+ (group :+ version)
        case None => done :+ Vector(version)
      }
    }

  /** @param first the number of the first file */
  private def readTogether(
      versions: Vector[PlannedVersion],
      first: Int,
  ): (Vector[ReadVersion], FileOutcomes, Discarding) = {
    val PlannedVersion(shaped, plan, _) = versions.head
    val sources = NumberedSource.all(versions.flatMap(_.change.added), first)
    val accepted = new MovedFiles(lake, shaped, conf).accepted(plan, sources)
    val rewrites = new RewriteJob(lake, shaped, accepted.outcomes.mappings)
    val rewritten = rewrites.run(accepted.toRewrite)
    val ends = versions.scanLeft(first)(_ + _.change.added.size)
    val byVersion = accepted.files.groupBy { case (one, _) => ends.lastIndexWhere(_ <= one.number) }
    val read = versions.indices.toVector.map { at =>
      val own = accepted.copy(files = byVersion.getOrElse(at, Vector.empty))
      ReadVersion(versions(at).change, own, rewritten)
    }
    (read, accepted.outcomes, Discarding(() => rewrites.discard(rewritten)))
  }

  private def withDeletes(
      read: Vector[ReadVersion],
      outcomes: FileOutcomes,
      discarding: Discarding,
  ): WrittenVersions = {
    val first = read.map(_.change.added.size).sum
    val start = (Vector.empty[DeletedVersion], Map.empty[String, PlacedFile], first)
    val (planned, _, _) = read.foldLeft(start) { case ((done, places, number), version) =>
      val now = places ++ version.placed(table)
      val changed = version.change.deleted.zipWithIndex.map { case (file, index) =>
        deleted(number + index, file, places.get(file.stored))
      }
      val own = version.accepted.deleted(version.rewritten, table.directory)
      (done :+ DeletedVersion(version, own, changed), now, number + changed.size)
    }
    val all = planned.flatMap(each => each.own ++ each.changed)
    val both = discarding.and(Discarding(() => deletes.discard(all)))
    both.after {
      val moved = deletes.run(all).map(each => each.number -> each).toMap
      val written = planned.foldLeft(Vector.empty[WrittenVersion]) { (done, version) =>
        val known = done.lastOption.fold(Map.empty[String, KnownFile])(_.known)
        done :+ WrittenVersion.of(version, moved, known, table)
      }
      written.flatMap(_.returned).headOption.foreach(returned)
      deletes.discard(written.flatMap(_.same))
      WrittenVersions(written, outcomes, both)
    }
  }

  private def deleted(number: Int, file: SourceFile, place: Option[PlacedFile]): DeletedFile = {
    val count = place.map(_.recordCount).orElse(file.recordCount).getOrElse {
      throw new IllegalStateException(s"the source does not say how many rows ${file.path} has")
    }
    val names = AttemptNames.next(FileNames.deleteFile())
    DeletedFile(number, file, place.fold(file.path)(_.dataFile), count, names)
  }

  private def returned(file: SourceFile): Nothing =
    SparkErrors.raise(
      LakeError.Unsupported(
        s"Bringing back deleted rows of ${file.path}",
        "Nothing was changed. Move the table without its history.",
      )
    )
}

/** A file of the source as the lake has it.
  *
  * @param dataFile its full path
  * @param path as the catalog has it
  */
private[history] final case class PlacedFile(dataFile: String, path: String, recordCount: Long)

/** A version whose new files are read.
  *
  * @param rewritten files in place of those of the source, by the numbers of the new files
  */
private[history] final case class ReadVersion(
    change: SourceChange,
    accepted: AcceptedSources,
    rewritten: Map[Int, NewDataFile],
) {

  /** The new files, by their paths in the source. */
  def placed(table: LakeTable): Vector[(String, PlacedFile)] =
    accepted.files.map { case (one, known) =>
      val inPlace = rewritten.get(one.number)
      one.file.stored -> PlacedFile(
        inPlace.fold(one.path)(table.directory + _.path),
        inPlace.fold(one.path)(_.path),
        known.recordCount,
      )
    }
}

/** A version with the deletes that are to be written.
  *
  * @param own those of new files
  * @param changed those of other files
  */
private[history] final case class DeletedVersion(
    read: ReadVersion,
    own: Vector[DeletedFile],
    changed: Vector[DeletedFile],
)
