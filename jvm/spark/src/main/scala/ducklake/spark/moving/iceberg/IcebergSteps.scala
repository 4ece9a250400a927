package ducklake.spark.moving.iceberg

import ducklake.spark.moving.FileProblems
import ducklake.spark.moving.SourceFile
import ducklake.spark.moving.SourceStep
import ducklake.spark.moving.SourceVersion
import ducklake.spark.moving.StepFiles
import org.apache.iceberg.BaseTable
import org.apache.iceberg.SnapshotChanges

import scala.jdk.CollectionConverters.IterableHasAsScala

/** Where a version of a table is.
  *
  * @param snapshot None before the first one
  * @param version with the columns of the schema it had
  */
private[iceberg] final case class IcebergPlace(snapshot: Option[Long], version: IcebergVersion)

/** Reads versions of a table of Iceberg one after another. A snapshot that comes from the one before
  * is read from its own manifests, every other one whole.
  */
private[iceberg] final class IcebergSteps(source: BaseTable) {

  /** @param versions oldest first, at least one */
  def of(versions: Vector[(SourceVersion, IcebergPlace)]): Iterator[SourceStep] = {
    val (first, place) = versions.head
    versions.tail.iterator
      .scanLeft(whole(first, place)) { case (before, (version, place)) =>
        next(before, version, place)
      }
      .map(_.step)
  }

  private def whole(version: SourceVersion, place: IcebergPlace): ReadPlace = {
    val planned = place.snapshot.toVector.flatMap(place.version.planned)
    val found = planned.map { case (data, deletes) => place.version.file(data, deletes) }
    val problems = FileProblems.of(found)
    val step =
      SourceStep(version, place.version.shape(problems), StepFiles.All(found.map(_._1)))
    ReadPlace(step, place.snapshot, LiveFiles.of(planned, source.specs), problems)
  }

  private def next(before: ReadPlace, version: SourceVersion, place: IcebergPlace): ReadPlace = {
    val snapshot = place.snapshot.map(source.snapshot)
    val follows = snapshot.exists { one =>
      Option(one.parentId).map(_.longValue) == before.snapshot && one.parentId != null
    }
    if (place.snapshot == before.snapshot)
      changed(before, version, place, before.live, Set.empty, Set.empty)
    else if (!follows) whole(version, place)
    else {
      val changes = SnapshotChanges.builderFor(source).snapshot(snapshot.orNull).build()
      val gone = changes.removedDataFiles.asScala.map(_.location).toSet
      val (left, freed) =
        before.live.without(gone, changes.removedDeleteFiles.asScala.toVector)
      val (live, others) =
        left.and(changes.addedDataFiles.asScala.toVector, changes.addedDeleteFiles.asScala.toVector)
      changed(before, version, place, live, freed ++ others, gone)
    }
  }

  /** @param set the files that are new, or may have other deletes */
  private def changed(
      before: ReadPlace,
      version: SourceVersion,
      place: IcebergPlace,
      live: LiveFiles,
      set: Set[String],
      gone: Set[String],
  ): ReadPlace = {
    val found =
      set.toVector.flatMap(live.files.get).map(each => place.version.file(each.data, each.applied))
    val there = found.map(_._1.stored).toSet
    val left = gone.map(SourceFile.stored) -- there
    val problems = before.problems.after(found, left)
    val step = SourceStep(
      version,
      place.version.shape(problems),
      StepFiles.Changed(found.map(_._1), left),
    )
    ReadPlace(step, place.snapshot, live, problems)
  }
}

/** A version that was read.
  *
  * @param snapshot whose files are live
  */
private final case class ReadPlace(
    step: SourceStep,
    snapshot: Option[Long],
    live: LiveFiles,
    problems: FileProblems,
)
