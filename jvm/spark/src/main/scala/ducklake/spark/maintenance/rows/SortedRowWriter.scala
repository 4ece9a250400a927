package ducklake.spark.maintenance.rows

import ducklake.catalog.model.SortKey
import ducklake.files.copy.ReorderedCopy
import ducklake.files.copy.WrittenCopy
import ducklake.spark.parquet.read.FileBatches
import ducklake.spark.parquet.read.FilePart
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.parquet.read.ReadSpec
import ducklake.spark.sparkapi.task.TaskSort
import ducklake.spark.types.SparkTypes
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

import scala.jdk.CollectionConverters.IteratorHasAsScala

/** Sorts the live rows of some files and copies them without Spark's types. Spark reads only the
  * sort keys; each row goes through its sort as bytes. Keys that differ by less than Spark's types
  * hold (nanoseconds) are equal.
  */
private[maintenance] final class SortedRowWriter(
    spec: CompactionSpec,
    input: CompactionInput,
    copy: ReorderedCopy,
    readConf: Configuration,
) {

  private val sources = input.sort.map(_._1).distinct
  private val keys = sources.map { at =>
    val column = input.columns(at)
    ReadColumn.Data(column, SparkTypes.of(column, spec.rule))
  }
  private val readSpec =
    ReadSpec(keys, Vector.empty, spec.snapshot, spec.mappings, input.columns.map(_.id))

  /** Errors: UnreadableFile, UnwritableFile. */
  def write(path: String): WrittenCopy = {
    val sort = new TaskSort(schema, order)
    try {
      val read = new Keys
      val span =
        try {
          val span = copy.read(bytes => sort.add(read.next(), bytes))
          read.requireEnd()
          span
        } finally read.close()
      copy.write(path, sort.sorted().map(_.getBinary(keys.size)), span)
    } finally sort.close()
  }

  private def schema: StructType = {
    val fields = keys.map(key => StructField(key.column.name, key.sparkType))
    StructType(fields :+ StructField(SortedRowWriter.Bytes, BinaryType))
  }

  private def order: Vector[(Int, SortKey)] =
    input.sort.map { case (column, key) => sources.indexOf(column) -> key }

  /** The keys of all live rows, in the order in which the rows are copied. */
  private final class Keys {
    // For one task and one thread.
    private var open = Option.empty[FileBatches]
    private val rows: Iterator[InternalRow] = input.parts.iterator.flatMap(ofPart)

    def next(): InternalRow = rows.next()

    /** If rows are left, some row may have had the sort key of another row. */
    def requireEnd(): Unit =
      if (rows.hasNext)
        throw new IllegalStateException(s"${spec.table} has more sort keys than rows")

    def close(): Unit = open.foreach(_.close())

    private def ofPart(part: FilePart): Iterator[InternalRow] = {
      close()
      val deletes = input.deletes(part, spec.lastDelete, readConf)
      val batches = FileBatches.open(part, readSpec, deletes, readConf, spec.layout)
      open = Some(batches)
      Iterator.continually(batches.next()).takeWhile(_.nonEmpty).flatten.flatMap { batch =>
        batch.rowIterator().asScala
      }
    }
  }
}

private object SortedRowWriter {
  private val Bytes = "bytes"
}
