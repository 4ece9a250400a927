package ducklake.spark.moving.history

import ducklake.catalog.model.PartitionKey
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.types.ColumnId
import ducklake.spark.moving.KeptIds
import ducklake.spark.moving.MovePlan
import ducklake.spark.moving.MovedFiles
import ducklake.spark.moving.SourceChange
import ducklake.spark.moving.SourceDeletes
import ducklake.spark.moving.SourceFile
import ducklake.spark.moving.SourceHistory
import ducklake.spark.moving.SourceTable
import ducklake.spark.moving.SourceVersion
import ducklake.spark.moving.TypeProblems

/** The versions of a source that become snapshots of a lake.
  *
  * @param now the current version, with the files of all versions, each as its last version has it
  * @param steps oldest first: the first makes the table
  * @param begins why there are no older ones; None when the first one made the source
  * @param left versions in between that have no snapshot, each with the reason
  */
private[moving] final case class HistoryPlan(
    now: MovePlan,
    steps: Vector[HistoryStep],
    begins: Option[String],
    left: Vector[String],
) {

  /** The plan of a version. */
  def at(step: HistoryStep): MovePlan = now.copy(source = step.source)
}

/** A version with what differs from the version before it.
  *
  * @param source the version with the column ids of the lake
  * @param isReshaped whether its columns are others
  */
private[moving] final case class HistoryStep(
    version: SourceVersion,
    source: SourceTable,
    change: SourceChange,
    isReshaped: Boolean,
) {
  def isEmpty: Boolean =
    !isReshaped && change.added.isEmpty && change.ended.isEmpty && change.deleted.isEmpty
}

private[moving] object HistoryPlan {

  /** @param versions oldest first, each read when it is its turn; the last one is the current one
    * @param isThere whether a file of the source is still there
    * @param format of the lake
    */
  def of(
      history: SourceHistory,
      versions: Iterator[(SourceVersion, SourceTable)],
      isThere: String => Boolean,
      format: FormatVersion,
  ): HistoryPlan = {
    val (version, oldest) = versions.next()
    val chain = versions.foldLeft(Chain.from(version, oldest, history.begins)) {
      case (chain, (next, source)) => chain.and(next, source, isThere, format)
    }
    val every = chain.last.copy(files = chain.files.values.toVector)
    HistoryPlan(
      MovePlan.of(every, format),
      chain.first +: chain.steps.tail.filterNot(_.isEmpty),
      chain.begins,
      history.left,
    )
  }

  /** Versions of which each can follow the one before.
    *
    * @param next one more than any column id
    * @param files all files so far, by their paths
    */
  private final case class Chain(
      last: SourceTable,
      next: Long,
      files: Map[String, SourceFile],
      steps: Vector[HistoryStep],
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

    def and(
        version: SourceVersion,
        source: SourceTable,
        isThere: String => Boolean,
        format: FormatVersion,
    ): Chain = {
      val (before, now) = KeptIds.of(last.columns, ColumnId(next), last, source)
      val change = SourceChange.between(before, now)
      val keys = MovePlan.of(now.copy(files = Vector.empty), format).keys
      problem(now, change, keys, isThere) match {
        case Some(why) =>
          Chain.from(version, source, Some(s"${steps.last.version.text} is before it, but $why"))
        case None =>
          val isReshaped = before.columns != now.columns
          Chain(
            now,
            math.max(next, MovedFiles.greatest(now.columns) + 1),
            files ++ now.files.map(file => file.stored -> file),
            steps :+ HistoryStep(version, now.copy(files = Vector.empty), change, isReshaped),
            begins,
          )
      }
    }

    /** Why a version cannot follow the last one. */
    private def problem(
        now: SourceTable,
        change: SourceChange,
        keys: Vector[PartitionKey],
        isThere: String => Boolean,
    ): Option[String] = {
      val paths = (change.ended.map(_.stored) ++ deletesBefore(change)).distinct
      val returned = change.added.count(file => files.contains(file.stored))
      def gone = paths.count(!isThere(_))
      def places(source: SourceTable) = source.keys.map(key => (key.column, key.transform))
      if (last.refused.nonEmpty) last.refused.headOption
      else if (places(last) != places(now)) Some("its partition keys were others")
      else if (returned > 0) Some(s"$returned data files were taken away and came back later")
      else if (gone > 0) Some(s"$gone of its files are gone")
      else TypeProblems.of(last.columns, now.columns, keys).headOption
    }

    /** The files with the deletes of those that ended or got others. */
    private def deletesBefore(change: SourceChange): Vector[String] =
      (change.ended ++ change.deleted).flatMap(file => files(file.stored).deletes).flatMap {
        case SourceDeletes.Positions(path, _) => Some(path)
        case SourceDeletes.DeletionVector(path, _, _) => Some(path)
        case SourceDeletes.Equality(path, _, _) => Some(path)
        case SourceDeletes.InlineVector(_) => None
      }
  }

  private object Chain {

    def from(version: SourceVersion, source: SourceTable, begins: Option[String]): Chain =
      Chain(
        source,
        math.max(source.lastColumn.value, MovedFiles.greatest(source.columns)) + 1,
        source.files.map(file => file.stored -> file).toMap,
        Vector(
          HistoryStep(
            version,
            source.copy(files = Vector.empty),
            SourceChange(source.files, Vector.empty, Vector.empty),
            isReshaped = false,
          )
        ),
        begins,
      )
  }
}
