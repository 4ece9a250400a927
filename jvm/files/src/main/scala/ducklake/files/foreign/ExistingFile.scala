package ducklake.files.foreign

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.registration.FileColumn
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.files.io.FileFailure
import ducklake.files.parquet.BoundLiterals
import ducklake.files.parquet.ReservedFields
import ducklake.files.store.ParquetReaders
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.format.Util
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import java.io.ByteArrayInputStream
import java.io.IOException
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.charset.StandardCharsets.US_ASCII

import scala.jdk.CollectionConverters.ListHasAsScala
import scala.util.Using

/** An existing Parquet file, as its footer describes it.
  *
  * @param unreadAnnotation an annotation that DuckDB reads differently, or not at all
  */
final class ExistingFile private (
    val physical: PhysicalFile,
    val unreadAnnotation: Option[UnreadAnnotation],
    footer: ParquetMetadata,
) {

  private val schema = footer.getFileMetaData.getSchema

  val recordCount: Long = footer.getBlocks.asScala.iterator.map(_.getRowCount).sum

  /** The name of a column with row ids or snapshots of the lake that wrote the file. Readers find
    * it by its field id, so they would take its values for values of this lake.
    */
  val lakeColumn: Option[String] = schema.getFields.asScala
    .find(field => Option(field.getId).map(_.intValue).exists(ReservedFields.inDataFiles))
    .map(_.getName)

  /** The name of a compression that not both engines can read. */
  val unreadableCodec: Option[String] = footer.getBlocks.asScala
    .flatMap(_.getColumns.asScala)
    .collectFirst { case chunk if !ExistingFile.codecs(chunk.getCodec) => chunk.getCodec.name }

  /** The path of a column that DuckDB cannot read: it knows BYTE_STREAM_SPLIT for floating numbers
    * only.
    *
    * Source: DuckDB 1.5.5, observed, e2e/test_added_rows.
    */
  val splitColumn: Option[String] = footer.getBlocks.asScala
    .flatMap(_.getColumns.asScala)
    .collectFirst {
      case chunk
          if chunk.getEncodings.contains(Encoding.BYTE_STREAM_SPLIT) &&
            !ExistingFile.floats(chunk.getPrimitiveType.getPrimitiveTypeName) =>
        chunk.getPath.toDotString
    }

  /** The path of a column whose values are other dates or instants for DuckDB than for Spark, which
    * wrote them in the old calendar.
    */
  def oldColumn: Option[String] = oldColumns.headOption.map(_.getPath.mkString("."))

  /** The path of such a column with milliseconds, which a lake's readers cannot bring into the new
    * calendar.
    */
  def oldMillis: Option[String] =
    oldColumns.find(OldCalendar.isInMillis).map(_.getPath.mkString("."))

  private lazy val oldColumns: Vector[ColumnDescriptor] =
    OldCalendar.of(footer.getFileMetaData.getKeyValueMetaData).toVector.flatMap { calendar =>
      schema.getColumns.asScala.filter(column =>
        calendar.concerns(column, chunks.getOrElse(column.getPath.toVector, Vector.empty))
      )
    }

  def columns: Vector[FileColumn] = columnsWith(LakeType.Timestamp)

  /** Like [[columns]], but INT96 is an instant, as Spark and its like mean it. DuckDB reads a local
    * time.
    */
  def columnsOfInstants: Vector[FileColumn] = columnsWith(LakeType.TimestampTz)

  private def columnsWith(int96: LakeType.Primitive): Vector[FileColumn] = {
    val geometries = GeoParquet.columns(footer.getFileMetaData.getKeyValueMetaData)
    new ParquetColumns(schema, geometries, int96 = int96).columns
  }

  /** The path of the first field that has not the name of its field id.
    *
    * @param names by id, the names that the columns of a table and their parts have in files
    */
  def misnamed(names: Map[Int, String]): Option[String] = new FieldNames(names).misnamed(schema)

  /** Like [[columns]], but each field has the name of the table's column with its id. Fields whose
    * id no column has keep their place and have a name that no column has.
    *
    * @param names by id, the table's columns and their parts
    *
    * Errors: the path of the first field without an id, or of a part of a list or map with the id of
    * another field.
    */
  def columnsById(names: Map[Int, String]): Either[String, Vector[FileColumn]] = {
    val ids = new FieldIds(names)
    ids.unusable(schema).toLeft(new ParquetColumns(schema, Set.empty, ids.nameOf).columns)
  }

  /** Like [[columnsById]], for a file whose fields have no ids, but names that stand for ids; with the
    * names of the fields by these ids. None for a file with ids. Fields whose names stand for none
    * are as those that no column has.
    */
  def columnsByName(
      names: Map[Int, String],
      ids: Map[String, NamedId],
  ): Option[(Vector[FileColumn], Map[Int, String])] =
    Option.when(ids.nonEmpty && !NamedIds.hasIds(schema)) {
      val identified = NamedIds.identified(schema, ids)
      val columns = new ParquetColumns(identified, Set.empty, new FieldIds(names).nameOf).columns
      (columns, NamedIds.namesOf(identified))
    }

  /** The statistics of one leaf.
    *
    * @param ordinal the position among the leaves of the file
    * @param lakeType the type of the leaf, see [[ParquetColumns]]
    */
  def statistics(ordinal: Int, lakeType: LakeType.Primitive): ColumnStatistics = {
    val path = schema.getColumns.get(ordinal).getPath.toVector
    val stored = schema.getColumns.get(ordinal).getPrimitiveType
    LeafStatistics.of(chunks.getOrElse(path, Vector.empty), stored, lakeType)
  }

  private lazy val chunks: Map[Vector[String], Vector[ColumnChunkMetaData]] =
    footer.getBlocks.asScala.toVector
      .flatMap(_.getColumns.asScala)
      .groupBy(_.getPath.toArray.toVector)
}

object ExistingFile {

  /** Compressions that both engines can read. Source: DuckDB 1.5.5; parquet-java without additional
    * codecs.
    */
  private val codecs = Set(
    CompressionCodecName.UNCOMPRESSED,
    CompressionCodecName.SNAPPY,
    CompressionCodecName.GZIP,
    CompressionCodecName.ZSTD,
    CompressionCodecName.LZ4_RAW,
  )

  private val floats = Set(PrimitiveTypeName.FLOAT, PrimitiveTypeName.DOUBLE)

  /** Reads the footer.
    *
    * @param path the path in Hadoop's form
    *
    * Errors: the errors of [[FileFailure.naming]]; CannotAddFile.
    */
  def read(path: String, table: String, conf: Configuration): ExistingFile =
    FileFailure.naming(path, table) {
      val target = new Path(path)
      val input = HadoopInputFile.fromPath(target, conf)
      Using.resource(ParquetReaders.stream(input)) { stream =>
        val size = footerSize(path, table, stream, input.getLength)
        val said = footer(stream, input.getLength - TailBytes - size, size)
        val options = HadoopReadOptions.builder(conf, target).build()
        OldTimestamps.markLocal(said)
        val known = new ParquetMetadataConverter(options).fromParquetMetadata(said)
        val groups = known.getBlocks.size.toLong
        val physical = PhysicalFile(input.getLength, size.toLong, groups)
        new ExistingFile(physical, UnreadAnnotation.in(said), known)
      }
    }

  private val TailBytes = 8
  private val Hint = "Leave the file out."

  /** The number before the last four bytes. */
  private def footerSize(
      path: String,
      table: String,
      stream: SeekableInputStream,
      length: Long,
  ): Int = {
    val tail = new Array[Byte](TailBytes)
    if (length > TailBytes) {
      stream.seek(length - TailBytes)
      stream.readFully(tail)
    }
    new String(tail, TailBytes / 2, TailBytes / 2, US_ASCII) match {
      case "PAR1" => ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt
      case _ =>
        throw new LakeException(
          LakeError.CannotAddFile(table, path, "is no Parquet file that we can read", Hint)
        )
    }
  }

  private def footer(stream: SeekableInputStream, start: Long, size: Int): FileMetaData = {
    if (size <= 0 || start <= 0) throw new IOException(s"there is no footer of $size bytes")
    val bytes = new Array[Byte](size)
    stream.seek(start)
    stream.readFully(bytes)
    Util.readFileMetaData(new ByteArrayInputStream(bytes))
  }
}

/** Statistics of one leaf over the row groups of a file. */
private[foreign] object LeafStatistics {

  def of(
      chunks: Vector[ColumnChunkMetaData],
      stored: PrimitiveType,
      lakeType: LakeType.Primitive,
  ): ColumnStatistics = {
    val nulls = chunks.map(nullsOf)
    val known = Option.when(nulls.forall(_.nonEmpty))(nulls.flatten.sum)
    val bounds = if (hasOtherUnit(stored, lakeType)) None else boundsOf(chunks, lakeType)
    ColumnStatistics(
      min = bounds.map(_._1),
      max = bounds.map(_._2),
      valueCount = known.map(chunks.map(_.getValueCount).sum - _),
      nullCount = known,
      containsNan = None,
      sizeBytes = Some(chunks.map(_.getTotalSize).sum),
    )
  }

  private def nullsOf(chunk: ColumnChunkMetaData): Option[Long] =
    Option(chunk.getStatistics).filter(_.isNumNullsSet).map(_.getNumNulls)

  /** Both bounds of all row groups; None unless every row group has bounds or only NULLs. */
  private def boundsOf(
      chunks: Vector[ColumnChunkMetaData],
      lakeType: LakeType.Primitive,
  ): Option[(Literal, Literal)] = {
    val valued = chunks.filterNot(chunk => nullsOf(chunk).contains(chunk.getValueCount))
    if (valued.isEmpty || !valued.forall(isBounded)) None
    else {
      val merged: Statistics[?] = valued.head.getStatistics.copy()
      valued.tail.foreach(chunk => merged.mergeStatistics(chunk.getStatistics))
      for {
        min <- BoundLiterals.of(merged.genericGetMin(), lakeType)
        max <- BoundLiterals.of(merged.genericGetMax(), lakeType)
      } yield (min, max)
    }
  }

  private def isBounded(chunk: ColumnChunkMetaData): Boolean =
    Option(chunk.getStatistics).exists(_.hasNonNullValue)

  /** Bounds of instants in a unit other than their type's unit are not used. */
  private def hasOtherUnit(stored: PrimitiveType, lakeType: LakeType.Primitive): Boolean =
    stored.getLogicalTypeAnnotation match {
      case timestamp: TimestampLogicalTypeAnnotation =>
        timestamp.isAdjustedToUTC && lakeType != LakeType.TimestampTzNs &&
        timestamp.getUnit != TimeUnit.MICROS
      case _ => false
    }
}
