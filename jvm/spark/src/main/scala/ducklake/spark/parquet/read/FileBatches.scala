package ducklake.spark.parquet.read

import ducklake.files.delete.DeleteFileCache
import ducklake.files.delete.DeletedPositions
import ducklake.files.foreign.OldCalendar
import ducklake.files.io.FileFailure
import ducklake.files.io.FooterRows
import ducklake.files.store.KnownFile
import ducklake.files.store.LentStream
import ducklake.files.store.MatchingGroups
import ducklake.spark.parquet.rowgroup.GroupReader
import ducklake.spark.parquet.rowgroup.GroupRows
import ducklake.spark.parquet.rowgroup.KeyPass
import ducklake.spark.parquet.rowgroup.KeyTrials
import ducklake.spark.parquet.rowgroup.Nesting
import ducklake.spark.parquet.rowgroup.RowChoice
import ducklake.spark.sparkapi.sql.SessionSettings
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapred.FileSplit
import org.apache.hadoop.mapred.JobConf
import org.apache.hadoop.mapreduce.TaskAttemptID
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.hadoop.metadata.FileMetaData
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import java.util.TimeZone

import scala.jdk.CollectionConverters.*

/** How batches are built.
  *
  * @param rows maximum number of rows in a batch
  * @param isOffHeap whether the vectors use memory outside the heap
  */
final case class BatchLayout(rows: Int, isOffHeap: Boolean)

object BatchLayout {

  /** By the settings of the Spark session. */
  def ofSession(): BatchLayout =
    BatchLayout(SessionSettings.batchRows, SessionSettings.isOffHeap)
}

/** The batches of one part of a file. A batch is valid until the next batch is read. */
trait PartBatches extends AutoCloseable {

  /** The next batch that has a row; None at the end. */
  def next(): Option[ColumnarBatch]

  /** Number of rows that were decoded and left out so far. */
  def rowsHidden: Long

  /** Number of rows so far of which at most the columns of filters were read. */
  def rowsSkipped: Long

  /** Number of row groups so far of which at most the columns of filters were read. */
  def groupsSkipped: Long
}

/** The visible rows of one part of a file, as batches of the scan's columns. */
final class FileBatches private (
    part: FilePart,
    groups: GroupRows,
    assembly: BatchAssembly,
    nulls: NullCheck,
) extends PartBatches {

  // The choice whose rows of the reader's batch come next; at first all choices are done.
  private var turn = assembly.choices

  override def next(): Option[ColumnarBatch] =
    FileFailure.naming(part.filename, part.table)(advance())

  /** The index of the choice that shows the rows of the last batch. */
  def choice: Int = turn - 1

  override def rowsHidden: Long = assembly.rowsHidden

  override def rowsSkipped: Long = groups.rowsSkipped

  override def groupsSkipped: Long = groups.groupsSkipped

  @annotation.tailrec
  private def advance(): Option[ColumnarBatch] =
    if (turn < assembly.choices) {
      val batch = assembly.shown(turn)
      batch.foreach(nulls.check)
      turn += 1
      if (batch.nonEmpty) batch else advance()
    } else if (!groups.next()) None
    else {
      assembly.start()
      turn = 0
      advance()
    }

  override def close(): Unit = groups.close()
}

object FileBatches {

  /** Opens the file and finds its columns.
    *
    * @param deletes is called once the number of rows is known to be the catalog's
    * @param conf the executor's configuration; it is not changed
    * @param trials is shared by the files of a task
    *
    * Errors: `UnreadableFile`, `EncryptedLake`.
    */
  def open(
      part: FilePart,
      spec: ReadSpec,
      deletes: => DeletedPositions,
      conf: Configuration,
      layout: BatchLayout,
      trials: KeyTrials = new KeyTrials,
  ): FileBatches =
    opened(part, conf) { file =>
      // A rollback leaves files of this kind, with columns of types that the table no longer has.
      val positions = deletes
      val shown = if (file.hasOnly(positions)) spec.withoutColumns else spec
      file.batches(
        shown,
        layout,
        plan => Vector(VisibleRowsRule.of(part, positions, plan)),
        Option.when(spec.readsKeysFirst)(trials),
      )
    }

  /** Like [[open]], with the rows that the choices show: each batch of the file is decoded once,
    * and gives a batch for each choice that shows rows of it.
    */
  def open(part: FilePart, spec: ReadSpec, conf: Configuration, layout: BatchLayout)(
      choices: FilePlan => Vector[RowChoice]
  ): FileBatches = opened(part, conf)(_.batches(spec, layout, choices, keyTrials = None))

  private def opened(part: FilePart, conf: Configuration)(
      read: Opened => FileBatches
  ): FileBatches =
    FileFailure.naming(part.filename, part.table) {
      val path = new Path(part.path)
      val input = KnownFile.input(part.path, part.sizeBytes, conf)
      val stream = KnownFile.stream(input, part.encrypted)
      try read(new Opened(part, path, input, stream, conf))
      catch {
        case failure: Throwable =>
          stream.close()
          throw failure
      }
    }

  /** The deleted positions of the file at a snapshot, deletes in its delete files included.
    *
    * Errors: `UnreadableFile`.
    */
  def deletedPositions(part: FilePart, snapshot: Long, conf: Configuration): DeletedPositions = {
    val inFiles = DeleteFileCache.allPositions(part.deletes, snapshot, part.table, conf)
    inFiles.union(DeletedPositions(part.inlinedDeletes))
  }

  private final class Opened(
      part: FilePart,
      path: Path,
      input: HadoopInputFile,
      stream: SeekableInputStream,
      base: Configuration,
  ) {
    private val options =
      HadoopReadOptions.builder(base, path).withRange(part.start, part.start + part.length).build()

    private val footer = KnownFile.footer(input, part.knownFooter, options, stream)

    checkRows()

    private def checkRows(): Unit = {
      val rows = new FooterRows(footer, part.recordCount, part.filename, part.table)
      val isLast = part.start + part.length >= part.sizeBytes
      if (part.start == 0 && isLast) rows.checkWhole() else rows.checkPart(isLast)
    }

    /** Whether all rows of the part are deleted. */
    def hasOnly(deletes: DeletedPositions): Boolean = {
      val rows = VisibleRowsRule(deletes, None, None)
      !deletes.isEmpty && footer.getBlocks.asScala.forall(rows.hidesAll)
    }

    /** @param keyTrials None: all columns are read at once */
    def batches(
        spec: ReadSpec,
        layout: BatchLayout,
        choices: FilePlan => Vector[RowChoice],
        keyTrials: Option[KeyTrials],
    ): FileBatches = {
      val plan = FilePlan.of(part, spec, footer.getFileMetaData.getSchema)
      val visible = choices(plan)
      val groups = matchingGroups(plan)
        .filter(_.getRowCount > 0)
        .filterNot(group => visible.forall(_.hidesAll(group)))
      val reader = decoding(plan, plan.requested, stream, groups, layout)
      try {
        val pages = plan.filter.filter(_ => options.useColumnIndexFilter)
        val keys = for {
          trials <- keyTrials
          key <- KeyPlan.of(plan, spec)
          if key.canGain(groups, plan.requested.fieldNames.toSet)
        } yield keyPass(plan, key, visible.head, groups, layout, trials)
        val rows = new GroupRows(reader, groups, pages, keys)
        val assembly =
          BatchAssembly.of(plan, visible, reader.positions, reader.batch, layout.rows)
        new FileBatches(part, rows, assembly, new NullCheck(part, plan.notNull))
      } catch {
        case failure: Throwable =>
          reader.close()
          throw failure
      }
    }

    private def keyPass(
        plan: FilePlan,
        keys: KeyPlan,
        visible: RowChoice,
        groups: Vector[BlockMetaData],
        layout: BatchLayout,
        trials: KeyTrials,
    ): KeyPass = {
      val reader = decoding(plan, keys.requested, new LentStream(stream), groups, layout)
      new KeyPass(reader, keys.rowTest(reader.batch, layout.rows), visible, trials, layout.rows)
    }

    private def decoding(
        plan: FilePlan,
        requested: StructType,
        from: SeekableInputStream,
        groups: Vector[BlockMetaData],
        layout: BatchLayout,
    ): GroupReader = {
      val conf = new JobConf(base)
      conf.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, requested.json)
      val described = new FileMetaData(
        plan.schema,
        java.util.Map.of[String, String](),
        footer.getFileMetaData.getCreatedBy,
      )
      val zone = calendar.flatMap(_.zone).getOrElse(TimeZone.getDefault.getID)
      val reader = new VectorizedParquetRecordReader(
        null,
        calendarName(calendar.exists(_.oldDates)),
        zone,
        calendarName(calendar.exists(_.oldInt96)),
        zone,
        layout.isOffHeap,
        layout.rows,
      )
      ReaderStart.of(
        reader,
        new FileSplit(path, part.start, part.length, Array.empty[String]),
        new TaskAttemptContextImpl(conf, new TaskAttemptID()),
        input,
        from,
        new ParquetMetadata(described, groups.asJava),
      )
      GroupReader.of(reader, groups, Nesting.of(requested), layout.rows)
    }

    private def calendar: Option[OldCalendar] =
      Option.when(part.isOld)(footer.getFileMetaData.getKeyValueMetaData).flatMap(OldCalendar.of)

    /** As Spark's reader calls it. */
    private def calendarName(isOld: Boolean): String = if (isOld) "LEGACY" else "CORRECTED"

    private def matchingGroups(plan: FilePlan): Vector[BlockMetaData] =
      plan.filter match {
        case None => footer.getBlocks.asScala.toVector
        case Some(filter) => new MatchingGroups(input, footer, options, stream).of(filter)
      }
  }
}
