package ducklake.catalog.read.file

import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Row
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.DeleteFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.NameMapping
import ducklake.catalog.read.schema.ColumnRowReader
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.Sql
import ducklake.catalog.sql.query.FileFilter
import ducklake.catalog.sql.query.FileSql
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.MappingId
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.text.ValueText

import scala.collection.immutable.ArraySeq
import scala.collection.mutable

/** Reads the metadata of a table's data files. Each method runs one statement, or one statement for
  * each batch of files.
  */
private[read] final class FileMetadataReader(
    session: Session,
    dialect: Dialect,
    head: CatalogHead,
    table: LakeTable,
) {
  private val files = new FileSql(dialect, head.version)
  private val inlined = new InlinedSql(dialect, head.version)
  private val rows = new FileDecoder(head, table.directory)

  def dataFiles(choices: Vector[FileFilter]): Vector[DataFileRow] =
    choices
      .flatMap { choice =>
        read(choice, files.dataFiles(table.id, head.snapshot.id, choice))(rows.dataFile)
      }
      .sortBy(file => (file.begin, file.id))

  /** The delete files of each data file, by its id. */
  def deleteFiles(choices: Vector[FileFilter]): Map[Long, Vector[DeleteFile]] =
    choices
      .flatMap { choice =>
        read(choice, files.deleteFiles(table.id, head.snapshot.id, choice))(rows.deleteFile)
      }
      .sortBy(_.file.id.value)
      .groupMap(_.dataFile)(_.file)

  /** Positions with inlined deletes, increasing, by data file: eight bytes for each. */
  def inlinedDeletes(choices: Vector[FileFilter]): Map[Long, IndexedSeq[Long]] =
    if (!session.hasTable(InlinedSql.deletesTable(table.id))) Map.empty
    else {
      val found = mutable.LongMap.empty[mutable.ArrayBuilder.ofLong]
      choices.foreach { choice =>
        session.foreach(inlined.deletes(table.id, head.snapshot.id, choice)) { row =>
          if (choice.has(row.long(1)))
            found.getOrElseUpdate(row.long(1), new mutable.ArrayBuilder.ofLong) += row.long(2): Unit
        }
      }
      found.map { case (file, positions) =>
        file -> ArraySeq.unsafeWrapArray(positions.result().distinct)
      }.toMap
    }

  def partitionValues(choices: Vector[FileFilter]): Map[Long, Map[Int, Option[String]]] =
    choices
      .flatMap { choice =>
        read(choice, files.partitionValues(table.id, choice)) { row =>
          (row.long(1), row.int(2) -> row.textOption(3))
        }
      }
      .groupMap(_._1)(_._2)
      .map { case (file, values) => file -> values.toMap }

  def mappings(ids: Vector[Long]): Map[MappingId, NameMapping] =
    MappingRow.trees(
      ids
        .grouped(FileMetadataReader.BatchSize)
        .flatMap(batch => session.query(files.mappings(batch))(MappingRow.decode))
        .toVector
    )

  /** Values of columns that come from the path of a registered file. DuckDB stores them as the
    * bounds of the column, a BLOB with the characters of the path.
    */
  def constants(
      columns: Set[ColumnId],
      choices: Vector[FileFilter],
  ): Map[(Long, ColumnId), Literal] = {
    val types = LeafColumns.of(table.columns)
    val known = columns.filter(types.contains)
    if (known.isEmpty) Map.empty
    else
      choices
        .flatMap { choice =>
          read(choice, files.statistics(table.id, known, choice)) { row =>
            val column = ColumnId(row.long(2))
            row.textOption(3).map(text => (row.long(1), column) -> constant(text, types(column)))
          }
        }
        .flatten
        .toMap
  }

  private def constant(text: String, dataType: LakeType.Primitive): Literal =
    Some(text)
      .filter(_ => dataType != LakeType.Blob)
      .flatMap(ValueText.parseStatistic(_, dataType))
      .orElse(ValueText.parseCast(text, dataType))
      .getOrElse {
        val why = s"the value `$text` from a file's path is no ${TypeText.print(dataType)}"
        throw new LakeException(LakeError.CorruptCatalog(table.qualifiedName, why))
      }

  /** Statistics of some columns, by file. */
  def statistics(
      columns: Set[ColumnId],
      choices: Vector[FileFilter],
  ): Map[DataFileId, Map[ColumnId, ColumnStatistics]] =
    if (columns.isEmpty) Map.empty
    else {
      val decoder = new StatisticsDecoder(LeafColumns.of(table.columns))
      choices
        .flatMap { choice =>
          read(choice, files.statistics(table.id, columns, choice))(decoder.decode).flatten
        }
        .groupMap(_._1) { case (_, column, statistics) => column -> statistics }
        .map { case (file, known) => file -> known.toMap }
    }

  /** The wanted rows of a statement whose first column is the id of a data file. */
  private def read[A](choice: FileFilter, statement: Sql)(decode: Row => A): Vector[A] = {
    val found = Vector.newBuilder[A]
    session.foreach(statement)(row => if (choice.has(row.long(1))) found += decode(row))
    found.result()
  }
}

private[read] object FileMetadataReader {

  /** The largest number of files that one statement lists. */
  val BatchSize = 1000
}

/** A row of `ducklake_name_mapping`. */
private[catalog] final case class MappingRow(
    mapping: Long,
    number: Long,
    sourceName: String,
    target: Long,
    parent: Option[Long],
    isPartition: Boolean,
)

private[catalog] object MappingRow {

  /** The mappings that the rows make up.
    *
    * Errors: CorruptCatalog when two rows of a mapping have one `column_id`, so that a column might
    * be below itself, and when columns are nested too deep.
    */
  def trees(rows: Vector[MappingRow]): Map[MappingId, NameMapping] =
    rows.groupBy(_.mapping).map { case (id, nodes) =>
      nodes.groupBy(_.number).values.find(_.sizeIs > 1).foreach { twice =>
        refuse(twice.head, "several rows of the mapping have this column_id")
      }
      MappingId(id) -> NameMapping(MappingId(id), tree(nodes.groupBy(_.parent), None, 1))
    }

  private def tree(
      below: Map[Option[Long], Vector[MappingRow]],
      parent: Option[Long],
      level: Int,
  ): Vector[MappedColumn] =
    below.getOrElse(parent, Vector.empty).map { node =>
      if (level > ColumnRowReader.MostLevels) refuse(node, ColumnRowReader.TooDeep)
      MappedColumn(
        node.sourceName,
        ColumnId(node.target),
        node.isPartition,
        tree(below, Some(node.number), level + 1),
      )
    }

  private def refuse(row: MappingRow, why: String): Nothing = {
    val place = s"ducklake_name_mapping, mapping_id ${row.mapping}, column_id ${row.number}"
    throw new LakeException(LakeError.CorruptCatalog(s"name `${row.sourceName}` ($place)", why))
  }

  def decode(row: Row): MappingRow = MappingRow(
    row.long(1),
    row.long(2),
    row.text(3),
    row.long(4),
    row.longOption(5),
    row.booleanOption(6).getOrElse(false),
  )
}
