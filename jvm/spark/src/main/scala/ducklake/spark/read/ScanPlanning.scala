package ducklake.spark.read

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.FileListing
import ducklake.catalog.listing.FileRequest
import ducklake.catalog.listing.InlinedRequest
import ducklake.catalog.listing.LiveRowCount
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DataFile
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.ColumnId
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.read.statistics.ReportedStatistics
import ducklake.spark.read.top.TopFiles
import ducklake.spark.sparkapi.sql.SessionSettings
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.partitioning.KeyGroupedPartitioning
import org.apache.spark.sql.connector.read.partitioning.Partitioning
import org.apache.spark.sql.connector.read.partitioning.UnknownPartitioning

/** The driver's work for one scan: it lists the files, prunes them and makes tasks from them. */
private[read] final class ScanPlanning(request: ScanRequest) {

  private val table = request.table
  private val log = new PlanningLog

  /** The files that are read, and what is known of the rows that are wanted. */
  private lazy val top: TopFiles = TopFiles.of(request, listed)

  private def listing: FileListing = top.listing

  /** The files and inlined rows that remain under the pushed filters, from one consistent read. */
  private lazy val listed: FileListing = log.timed {
    ReadColumns.refuseUnreadable(table, request.columns)
    val limit = enough.map(_.toLong)
    val wanted = InlinedRequest(InlinedPart.columns(request), limit, inlined)
    table.snapshot.files(
      table.table,
      FileRequest(
        request.predicates,
        wantedStatistics ++ keys.fold(Set.empty[ColumnId])(_.statistics),
        Some(wanted),
        asksFullMatches = request.top.isDefined,
        partitionValues = keys.fold[PartitionValues](PartitionValues.LeftOut)(_.partitionValues),
        enoughRows = limit.filter(_ => request.top.isEmpty),
        bounds = request.top.fold(Set.empty[ColumnId])(_.order.keys.map(_.column).toSet),
      ),
    )
  }

  /** So many rows are wanted, whichever they are. */
  private def enough: Option[Int] = request.limit.filter(_ => request.predicates.isEmpty)

  /** The keys by which Spark may join without a shuffle. */
  private lazy val keys: Option[PartitionKeys] =
    if (SessionSettings.joinsByPartition) PartitionKeys.of(request) else None

  /** Filled by [[listed]]. */
  private val inlined = new InlinedPart(request)

  private def inlinedRows: Long = {
    val _ = listing
    inlined.size
  }

  private def wantedStatistics: Set[ColumnId] =
    if (SessionSettings.wantsColumnStatistics) ReportedStatistics.columns(request) else Set.empty

  def statistics: Statistics = ReportedStatistics.of(request, listing, inlinedRows)

  /** For plans and the UI: how many files remain under the pushed filters. None when the catalog
    * cannot be read; the scan itself reports the error then. Errors: StatementInterrupted.
    */
  def filesRead: Option[String] =
    try Some(s"${listing.files.length} of ${listing.listedFiles} files")
    catch { case failed: LakeException if !isInterrupt(failed) => None }

  private def isInterrupt(failed: LakeException): Boolean = failed.error match {
    case _: LakeError.StatementInterrupted => true
    case _ => false
  }

  def hasManyFiles: Boolean = listing.files.sizeIs > 1

  def metrics: Array[CustomTaskMetric] = log.metrics

  /** The files with their partition keys; None unless all rows of the scan have a key of the
    * table's layout.
    */
  private lazy val keyed: Option[(PartitionKeys, Vector[(DataFile, InternalRow)])] =
    for {
      known <- keys
      files = stopEarly(listing.files).map(file => file -> known.of(file, statisticsOf(file)))
      if files.nonEmpty && files.forall(_._2.isDefined) && inlinedRows == 0
    } yield (known, files.flatMap { case (file, key) => key.map(file -> _) })

  private def statisticsOf(file: DataFile): Map[ColumnId, ColumnStatistics] =
    listing.statistics.getOrElse(file.id, Map.empty)

  def partitioning: Partitioning =
    keyed match {
      case Some((keys, files)) =>
        new KeyGroupedPartitioning(keys.transforms, files.map(_._2).distinct.length)
      case None => new UnknownPartitioning(0)
    }

  /** The tasks of the scan.
    *
    * @param runtime runtime filters, which come from other parts of the running query
    */
  def tasks(runtime: Vector[Predicate]): Vector[InputPartition] = log.timed {
    val kept = stopEarly(filesFor(runtime))
    log.record(listing, kept)
    keyed match {
      case Some((_, files)) => keyedTasks(files, kept, sent(runtime))
      case None =>
        packed(kept, sizes(kept)).map(FilesTask(_, sent(runtime))) ++ inlined.tasks
    }
  }

  /** The tasks with partition keys. Spark expects no more tasks of a key than before the runtime
    * filters, so the files are packed as before, and pruned files are then removed from the tasks.
    */
  private def keyedTasks(
      files: Vector[(DataFile, InternalRow)],
      kept: Vector[DataFile],
      runtime: Vector[Predicate],
  ): Vector[InputPartition] = {
    val split = sizes(files.map(_._1))
    val still = kept.map(_.path).toSet
    files.groupMap(_._2)(_._1).toVector.flatMap { case (key, group) =>
      packed(group, split)
        .map(_.filter(part => still(part.filename)))
        .filter(_.nonEmpty)
        .map(parts => KeyedTask(FilesTask(parts, runtime), key))
    }
  }

  /** The runtime filters that tasks use: each task gets a copy, so long lists are left out. */
  private def sent(runtime: Vector[Predicate]): Vector[Predicate] =
    runtime.filter {
      case Predicate.In(_, values) => values.sizeIs <= ScanPlanning.MostValues
      case _ => true
    }

  private def packed(
      files: Vector[DataFile],
      split: ScanPlanner.Sizes,
  ): Vector[Vector[FilePart]] = {
    val name = table.table.qualifiedName
    ScanPlanner.pack(files.flatMap(ScanPlanner.parts(_, name, split)), split)
  }

  private def sizes(files: Vector[DataFile]): ScanPlanner.Sizes = {
    val settings = SessionSettings.split()
    ScanPlanner.sizes(files, settings.maxBytes, settings.openCost, settings.parallelism)
  }

  private def filesFor(runtime: Vector[Predicate]): Vector[DataFile] =
    if (runtime.isEmpty) listing.files
    else {
      val all = FileRequest(
        request.predicates ++ runtime,
        Set.empty,
        None,
        partitionValues = PartitionValues.LeftOut,
        among = Some(listing.files.map(_.id)),
      )
      val again = table.snapshot.files(table.table, all)
      listing.files.filterNot(file => again.isPruned(file.id))
    }

  /** With a limit and without filters only as many files are read as are needed for the limit's
    * number of live rows.
    */
  private def stopEarly(files: Vector[DataFile]): Vector[DataFile] =
    enough match {
      case Some(limit) =>
        val before = files.scanLeft(inlinedRows)(_ + LiveRowCount.atLeast(_))
        files.zip(before).takeWhile { case (_, rows) => rows < limit }.map(_._1)
      case None => files
    }

  /** The reader factory, which all tasks share. The Hadoop configuration is broadcast. */
  lazy val factory: PartitionReaderFactory = {
    val spec = ReadSpec(
      request.columns,
      request.predicates ++ top.bound,
      table.snapshot.snapshot.id.value,
      listing.mappings,
      table.table.columns.map(_.id),
      table.table.columns.filterNot(_.nullsAllowed).map(_.id).toSet,
      readsKeysFirst = table.session.config.lateMaterialization,
    )
    if (listing.files.isEmpty) DuckLakeReaderFactory.forInlined(spec)
    else DuckLakeReaderFactory.forFiles(spec, table.session.config.hadoop)
  }
}

private object ScanPlanning {

  /** So many values of a runtime filter are sent to tasks. */
  val MostValues = 10000
}
