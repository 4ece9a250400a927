package ducklake.files.copy

import ducklake.catalog.types.LakeType
import ducklake.files.copy.plan.LeafSource
import ducklake.files.copy.plan.NewLeaf
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.ParquetFileWriter

/** The row groups of a new file. Memory holds one of them, encoded and compressed. */
private[copy] final class NewRowGroups(
    out: ParquetFileWriter,
    leaves: Vector[NewLeaf],
    format: CopyFormat,
    compressor: BytesInputCompressor,
) extends RowTarget
    with AutoCloseable {

  /** The writer finds the bloom filter of a leaf by this text, which two leaves can have. */
  private val ambiguous =
    leaves
      .groupBy(_.path.mkString("."))
      .collect { case (text, some) if some.size > 1 => text }
      .toSet

  private var columns = opened()
  private var rows = 0L

  /** Rows of the file so far. */
  private var written = 0L

  def recordCount: Long = written + rows

  /** How many rows the row group can still take. */
  override def room: Int = math.toIntExact(format.rowGroupRows - rows)

  /** Adds rows to each column by `fill`, and writes the row group when it is full. */
  override def add(added: Int)(fill: Vector[LeafValueWriter] => Unit): Unit = {
    fill(columns)
    rows += added
    if (room <= 0 || columns.iterator.map(_.bufferedBytes).sum >= format.rowGroupBytes) end()
  }

  /** Writes the row group if it has rows. */
  def end(): Unit = {
    if (rows > 0) {
      out.startBlock(rows)
      columns.foreach(_.writeTo(out))
      out.endBlock()
      written += rows
      rows = 0L
      columns.foreach(_.close())
      columns = opened()
    }
  }

  /** Writes a separate row group.
    *
    * @param append writes the chunk of the leaf with this number, or returns the encoded leaf
    */
  def append(count: Long)(append: Int => Option[LeafWriter]): Unit = {
    end()
    out.startBlock(count)
    leaves.indices.foreach { number =>
      append(number).foreach { encoded =>
        try encoded.writeTo(out)
        finally encoded.close()
      }
    }
    out.endBlock()
    written += count
  }

  /** Copies a chunk into the row group that [[append]] writes. */
  def appendChunk(
      source: SourceReader,
      group: Int,
      from: LeafSource,
      to: NewLeaf,
      lakeType: LakeType.Primitive,
  ): Unit =
    ChunkCopy.append(out, source, group, from, to, lakeType, !ambiguous(to.path.mkString(".")))

  /** A writer for a leaf of a separate row group. */
  def encoded(leaf: NewLeaf): LeafWriter = new LeafWriter(leaf, format.properties, compressor)

  private def opened(): Vector[LeafWriter] = leaves.map(encoded)

  override def close(): Unit = columns.foreach(_.close())
}
