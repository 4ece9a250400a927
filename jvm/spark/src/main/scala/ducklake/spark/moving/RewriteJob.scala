package ducklake.spark.moving

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.partition.HivePath
import ducklake.catalog.types.MappingId
import ducklake.files.delete.DeleteFileCache
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import ducklake.files.path.PathResolver
import ducklake.spark.config.WriteConfig
import ducklake.spark.maintenance.add.AcceptedFile
import ducklake.spark.maintenance.rows.CompactionInput
import ducklake.spark.maintenance.rows.CompactionJob
import ducklake.spark.maintenance.rows.CompactionOutput
import ducklake.spark.maintenance.rows.CompactionSpec
import ducklake.spark.maintenance.rows.LossRefusal
import ducklake.spark.parquet.read.BatchLayout
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.partitioning.WriteLayout
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WrittenFiles
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Writes files of a source to new files of the lake, one for each, in tasks. All rows keep their
  * positions, so that deletes of the old file are those of the new one. Their names tell in whose
  * place they are.
  *
  * @param table the new table
  * @param mappings those to which the accepted files point
  */
private[moving] final class RewriteJob(
    lake: SessionLake,
    table: LakeTable,
    mappings: Vector[Vector[MappedColumn]],
) {

  private val config = WriteConfig.of(
    lake.options(),
    table.schema.id,
    None,
    Map.empty,
    CaseInsensitiveStringMap.empty(),
  )
  private val directory = PathResolver.hadoopPath(table.directory)
  private val folders = WriteKey.of(WriteLayout.of(table), table.columns).map(_.folder)

  /** The new files, by the numbers of the old ones. After an error there is none of them.
    *
    * Errors: UnreadableFile, UnwritableFile; Unsupported for a value that Spark cannot carry;
    * StatementInterrupted; errors of tasks are Spark's exceptions, with our error as their cause.
    */
  def run(files: Vector[(NumberedSource, AcceptedFile)]): Map[Int, NewDataFile] =
    if (files.isEmpty) Map.empty
    else {
      val inputs = files.map { case (one, known) => input(one, known) }
      var done = Vector.empty[CompactionOutput]
      try {
        val description = s"Rewriting files for ${table.qualifiedName}: ${files.size} files"
        CompactionJob.run(lake, description, spec, inputs, done :+= _)
        done.flatMap(each => each.written.map(written => each.number -> written.file)).toMap
      } catch {
        case failure: Throwable =>
          WrittenFiles(inputs.flatMap(_.paths).map(directory + _)).delete(lake.config.hadoop)
          throw failure
      }
    }

  /** Removes new files. */
  def discard(files: Map[Int, NewDataFile]): Unit =
    if (files.nonEmpty)
      WrittenFiles(files.values.map(directory + _.path).toVector).delete(lake.config.hadoop)

  private def spec: CompactionSpec =
    CompactionSpec(
      table.qualifiedName,
      directory,
      snapshot = 0L,
      lastDelete = DeleteFileCache.EverySnapshot,
      mappings.zipWithIndex.map { case (columns, place) =>
        val id = MappingId(place.toLong)
        id -> NameMapping(id, columns)
      }.toMap,
      lake.timeRule,
      config,
      BatchLayout.ofSession(),
      keepsSnapshots = false,
      RewriteJob.refusal,
    )

  private def input(one: NumberedSource, known: AcceptedFile): CompactionInput =
    CompactionInput(
      one.number,
      Vector(part(one, known)),
      table.columns,
      known.partition.filter(_ => config.usesHiveFolders).fold("") { values =>
        HivePath.folder(folders, values, HivePath.Room.below(table.directory))
      },
      AttemptNames.next(FileNames.inPlaceOf(one.path)),
      known.partition,
      firstRowId = None,
      sort = Vector.empty,
      areNew = true,
    )

  private def part(one: NumberedSource, known: AcceptedFile): FilePart = {
    val size = known.physical.sizeBytes
    val fromPath = known.mapping.toVector.flatMap { place =>
      NameMapping(MappingId(0), mappings(place)).pathColumns
    }
    FilePart(
      id = one.number.toLong,
      path = PathResolver.hadoopPath(one.path),
      filename = one.path,
      table = table.qualifiedName,
      sizeBytes = size,
      start = 0,
      length = size,
      recordCount = known.recordCount,
      rowIdStart = None,
      begin = 0,
      visibility = RowVisibility.All,
      mapping = known.mapping.map(place => MappingId(place.toLong)),
      constants =
        fromPath.flatMap(id => known.statistics.get(id).flatMap(_.min).map(id -> _)).toMap,
      deletes = Vector.empty,
      inlinedDeletes = Array.emptyLongArray,
      footerSize = known.physical.footerSize,
      isOld = known.isOld,
    )
  }
}

private object RewriteJob {

  private val refusal =
    LossRefusal("Rewriting", "Rewrite the files of the table with its own engine.")
}
