package ducklake.spark.moving.history

import ducklake.catalog.model.PartitionKey
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.spark.moving.KeptIds
import ducklake.spark.moving.MovePlan
import ducklake.spark.moving.MovedFiles
import ducklake.spark.moving.SourceChange
import ducklake.spark.moving.SourceDeletes
import ducklake.spark.moving.SourceFile
import ducklake.spark.moving.SourceStep
import ducklake.spark.moving.SourceTable
import ducklake.spark.moving.StepFiles
import ducklake.spark.moving.TypeProblems

import scala.collection.immutable.VectorMap

/** Versions of which each can follow the one before.
  *
  * @param last the last one, without its files
  * @param next one more than any column id
  * @param files of the last version, by their paths
  * @param ever the columns of all versions so far, as files name them
  * @param replaced deletes of files that are not only more than before
  * @param seen the files of all versions so far, each as its last version has it
  */
private[history] final case class VersionChain(
    last: SourceTable,
    next: Long,
    ever: Vector[Column],
    files: VectorMap[String, SourceFile],
    seen: VectorMap[String, SourceFile],
    steps: Vector[HistoryStep],
    replaced: Vector[ReplacedDeletes],
    begins: Option[String],
) {

  /** The first version. It reserves no column id that a later version has (see
    * `Operation.CreateTable`).
    */
  def first: HistoryStep = {
    val step = steps.head
    val greatest = steps.map(each => MovedFiles.greatest(each.source.columns))
    val lastColumn =
      if (greatest.exists(_ >= step.source.lastColumn.value)) ColumnId(greatest.head)
      else step.source.lastColumn
    step.copy(source = step.source.copy(lastColumn = lastColumn))
  }

  def and(step: SourceStep, looks: HistoryLooks, format: FormatVersion): VersionChain = {
    val (before, source) = KeptIds.of(last.columns, ColumnId(next), last, step.source, ever)
    val now = after(step.files)
    val change = changeTo(step.files, now)
    val keys = MovePlan.of(source, format).keys
    problem(source, change, keys, looks) match {
      case Some(why) =>
        val reason = s"${steps.last.version.text} is before it, but $why"
        val whole = step.copy(files = StepFiles.All(now.values.toVector))
        VersionChain.from(whole, Some(reason))
      case None =>
        val isReshaped = before.columns != source.columns
        VersionChain(
          source,
          math.max(next, MovedFiles.greatest(source.columns) + 1),
          KeptIds.merged(ever, KeptIds.stored(source)),
          now,
          VersionChain.updated(seen, set(step.files)),
          steps :+ HistoryStep(step.version, source, change, isReshaped),
          replaced ++ replacedBy(change),
          begins,
        )
    }
  }

  private def set(step: StepFiles): Vector[SourceFile] = step match {
    case StepFiles.All(all) => all
    case StepFiles.Changed(some, _) => some
  }

  private def after(step: StepFiles): VectorMap[String, SourceFile] = step match {
    case StepFiles.All(all) => VersionChain.byPath(all)
    case StepFiles.Changed(some, gone) => VersionChain.updated(files -- gone, some)
  }

  private def replacedBy(change: SourceChange): Vector[ReplacedDeletes] =
    change.deleted
      .map(file => ReplacedDeletes(steps.size, files(file.stored), file))
      .filterNot(each => each.before.deletes.toSet.subsetOf(each.now.deletes.toSet))

  private def changeTo(step: StepFiles, now: VectorMap[String, SourceFile]): SourceChange = {
    val gone = step match {
      case StepFiles.All(_) => files.keys.filterNot(now.contains)
      case StepFiles.Changed(_, paths) => paths.filter(files.contains)
    }
    val (old, fresh) = set(step).partition(file => files.contains(file.stored))
    SourceChange(
      fresh.map(file => file.copy(isReturned = seen.contains(file.stored))),
      gone.toVector.sorted.map(files),
      old
        .filter(_.recordCount.forall(_ > 0))
        .filter(file => files(file.stored).deletes.toSet != file.deletes.toSet),
    )
  }

  /** Why a version cannot follow the last one. */
  private def problem(
      now: SourceTable,
      change: SourceChange,
      keys: Vector[PartitionKey],
      looks: HistoryLooks,
  ): Option[String] = {
    val changed = change.ended ++ change.deleted.map(file => files(file.stored))
    val paths = (change.ended.map(_.stored) ++
      changed.flatMap(_.deletes).flatMap(SourceDeletes.pathOf)).distinct
    def gone = paths.count(path => !looks.isThere(path))
    def places(source: SourceTable) = source.keys.map(key => (key.column, key.transform))
    if (last.refused.nonEmpty) last.refused.headOption
    else if (places(last) != places(now)) Some("its partition keys were others")
    else if (gone > 0) Some(s"$gone of its files are gone")
    else TypeProblems.of(last.columns, now.columns, keys).headOption
  }
}

private[history] object VersionChain {

  /** @param step with all its files */
  def from(step: SourceStep, begins: Option[String]): VersionChain = {
    val found = step.files match {
      case StepFiles.All(files) => files
      case StepFiles.Changed(files, _) => files
    }
    val all = byPath(found)
    val source = step.source
    val change = SourceChange(found, Vector.empty, Vector.empty)
    VersionChain(
      source,
      math.max(source.lastColumn.value, MovedFiles.greatest(source.columns)) + 1,
      KeptIds.stored(source),
      all,
      all,
      Vector(HistoryStep(step.version, source, change, isReshaped = false)),
      Vector.empty,
      begins,
    )
  }

  private def byPath(files: Vector[SourceFile]): VectorMap[String, SourceFile] =
    files.iterator.map(file => file.stored -> file).to(VectorMap)

  /** Costs what is new: `++` copies the map. */
  private def updated(
      files: VectorMap[String, SourceFile],
      others: Vector[SourceFile],
  ): VectorMap[String, SourceFile] =
    others.foldLeft(files)((done, file) => done.updated(file.stored, file))
}

/** Deletes of a file in place of others.
  *
  * @param step the number of the version that replaces them
  */
private[history] final case class ReplacedDeletes(step: Int, before: SourceFile, now: SourceFile)
