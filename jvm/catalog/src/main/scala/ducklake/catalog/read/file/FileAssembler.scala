package ducklake.catalog.read.file

import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NameMapping
import ducklake.catalog.sql.query.FileFilter
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.Literal
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId

/** Builds data files from the rows of several metadata tables.
  *
  * @param fromPath the columns whose values a name mapping takes from the file's path
  */
private[read] final class FileAssembler(
    parts: FileMetadataReader,
    table: LakeTable,
    choices: Vector[FileFilter],
    fromPath: Map[MappingId, Set[ColumnId]],
    values: PartitionValues,
) {

  private val constantValues = parts.constants(fromPath.valuesIterator.flatten.toSet, choices)

  def assemble(rows: Vector[DataFileRow]): Vector[DataFile] = {
    val deletes = parts.deleteFiles(choices)
    val inlined = parts.inlinedDeletes(choices)
    assembled(rows) { (row, file) =>
      inlined.get(row.id).foreach(FileDecoder.checkInlined(row.id, row.recordCount, _))
      file.copy(
        deleteFiles = deletes.getOrElse(row.id, Vector.empty),
        inlinedDeletes = inlined.getOrElse(row.id, Vector.empty),
      )
    }
  }

  /** Like [[assemble]], but without delete files and inlined deletes, which are not read. */
  def withoutDeletes(rows: Vector[DataFileRow]): Vector[DataFile] =
    assembled(rows)((_, file) => file)

  private def assembled(rows: Vector[DataFileRow])(
      completed: (DataFileRow, DataFile) => DataFile
  ): Vector[DataFile] = {
    val partitions = partitionsOf(rows)
    rows.map { row =>
      val file = DataFile(
        id = DataFileId(row.id),
        path = row.path.fileIn(table.directory),
        sizeBytes = row.sizeBytes,
        footerSize = row.footerSize,
        recordCount = row.recordCount,
        firstRowId = row.firstRowId,
        begin = SnapshotId(row.begin),
        last = SnapshotId(row.last),
        visibility = row.visibility,
        mapping = row.mapping.map(MappingId(_)),
        constants = constants(row),
        partition = partitions(row),
        encryption = row.encryption,
        deleteFiles = Vector.empty,
        inlinedDeletes = Vector.empty,
      )
      completed(row, file)
    }
  }

  private def partitionsOf(rows: Vector[DataFileRow]): DataFileRow => Option[FilePartition] =
    values match {
      case PartitionValues.LeftOut => _ => None
      case PartitionValues.Read if rows.forall(_.partition.isEmpty) => _ => None
      case PartitionValues.Read =>
        val stored = parts.partitionValues(choices)
        row =>
          row.partition.map { id =>
            FilePartition(PartitionId(id), stored.getOrElse(row.id, Map.empty))
          }
    }

  private def constants(row: DataFileRow): Map[ColumnId, Literal] = {
    val columns = row.mapping.flatMap(id => fromPath.get(MappingId(id))).getOrElse(Set.empty)
    columns.iterator.map { column =>
      column -> constantValues.getOrElse((row.id, column), Literal.Null)
    }.toMap
  }
}

private[read] object FileAssembler {

  /** An assembler for these rows, and the name mappings that they refer to. */
  def of(
      parts: FileMetadataReader,
      table: LakeTable,
      choices: Vector[FileFilter],
      rows: Vector[DataFileRow],
      values: PartitionValues,
  ): (FileAssembler, Map[MappingId, NameMapping]) = {
    val mappings = parts.mappings(rows.flatMap(_.mapping).distinct)
    val fromPath = mappings.map { case (id, mapping) => id -> mapping.pathColumns }
    (new FileAssembler(parts, table, choices, fromPath, values), mappings)
  }
}
