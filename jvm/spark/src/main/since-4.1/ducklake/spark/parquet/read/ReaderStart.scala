package ducklake.spark.parquet.read

import org.apache.hadoop.mapred.FileSplit
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader

/** Gives an open file to Spark's reader. */
private[read] object ReaderStart {

  def of(
      reader: VectorizedParquetRecordReader,
      split: FileSplit,
      task: TaskAttemptContext,
      input: HadoopInputFile,
      stream: SeekableInputStream,
      footer: ParquetMetadata,
  ): Unit = reader.initialize(split, task, Some(input), Some(stream), Some(footer))
}
