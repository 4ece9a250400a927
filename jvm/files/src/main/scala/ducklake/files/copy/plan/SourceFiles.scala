package ducklake.files.copy.plan

import ducklake.catalog.model.NameMapping
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.types.ColumnId
import ducklake.files.crypto.EncryptedFile
import ducklake.files.delete.DeletedPositions
import ducklake.files.io.FileFailure
import ducklake.files.io.FooterRows
import ducklake.files.parquet.FileNode
import ducklake.files.parquet.ReservedFields
import ducklake.files.store.KnownFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.metadata.ParquetMetadata

import scala.jdk.CollectionConverters.ListHasAsScala
import scala.util.Using

/** A data file whose rows are copied.
  *
  * @param path in Hadoop's form
  * @param filename as DuckDB shows it, for messages
  * @param recordCount rows in the file, deleted ones included
  * @param rowIdStart the row id of the first row; None when the file embeds row ids
  * @param begin the snapshot of rows without an embedded snapshot
  * @param constants the columns whose values are not in the file
  * @param deletes the deleted positions, which are read when they are needed
  * @param footerSize of the footer that readers see; 0 when it is unknown
  * @param encrypted the catalog's facts about an encrypted file
  */
final case class SourceFile(
    path: String,
    filename: String,
    sizeBytes: Long,
    footerSize: Long,
    recordCount: Long,
    rowIdStart: Option[Long],
    begin: Long,
    visibility: RowVisibility,
    mapping: Option[NameMapping],
    constants: Set[ColumnId],
    deletes: () => DeletedPositions,
    encrypted: Option[EncryptedFile] = None,
) {

  /** Whether the embedded snapshot of a row decides if it is visible. */
  private[plan] def hidesRows: Boolean =
    visibility match {
      case RowVisibility.Embedded(_) => true
      case RowVisibility.All | RowVisibility.Runs(_, _, _) => false
    }
}

/** Data files with their shapes. Footers of few files are kept, so that they are read once.
  *
  * @param table for messages
  */
final class SourceFiles private (
    private[copy] val files: Vector[SourceFile],
    shapeOf: Vector[FileShape],
    footers: Map[Int, ParquetMetadata],
    private[copy] val table: String,
    private[copy] val conf: Configuration,
) {

  private[plan] val shapes: Vector[FileShape] = shapeOf.distinct

  private[copy] def shape(number: Int): FileShape = shapeOf(number)

  private[copy] def footer(number: Int): Option[ParquetMetadata] = footers.get(number)

  private[copy] def exists(isSo: SourceFile => Boolean): Boolean = files.exists(isSo)

  /** Whether a file has a column of row ids. The catalog does not record it: DuckDB's UPDATE also
    * gives a first row id to a file with this column (format 5.3).
    */
  def embedRowIds: Boolean =
    shapes.exists(s => FileNode.ofSchema(s.schema).exists(_.id.contains(ReservedFields.rowId)))
}

object SourceFiles {

  /** How many column chunks the kept footers may describe; each takes about half a kilobyte. */
  private val KeptChunks = 20000

  /** Reads the footers, one after another. Errors: `UnreadableFile`, `EncryptedLake`. */
  def read(files: Vector[SourceFile], table: String, conf: Configuration): SourceFiles = {
    // Many files have equal schemas; only the first schema is kept.
    val known = scala.collection.mutable.HashMap.empty[FileShape, FileShape]
    val kept = Map.newBuilder[Int, ParquetMetadata]
    var chunks = 0
    val shapes = files.zipWithIndex.map { case (file, number) =>
      val footer = FileFailure.naming(file.filename, table)(footerOf(file, conf))
      new FooterRows(footer, file.recordCount, file.filename, table).checkWhole()
      chunks += footer.getBlocks.asScala.map(_.getColumns.size).sum
      if (chunks <= KeptChunks) kept += number -> footer
      val shape = FileShape(footer.getFileMetaData.getSchema, file.mapping)
      known.getOrElseUpdate(shape, shape)
    }
    new SourceFiles(files, shapes, kept.result(), table, conf)
  }

  private def footerOf(file: SourceFile, conf: Configuration): ParquetMetadata = {
    val input = KnownFile.input(file.path, file.sizeBytes, conf)
    val options = HadoopReadOptions.builder(conf, new Path(file.path)).build()
    Using.resource(KnownFile.stream(input, file.encrypted))(
      KnownFile.footer(input, file.footerSize, options, _)
    )
  }
}
