package ducklake.spark.testkit

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.error.LakeException
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionScope
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SchemaId
import ducklake.spark.config.WriteConfig
import ducklake.spark.errors.DuckLakeTaskException
import ducklake.spark.partitioning.WriteKey
import ducklake.spark.sparkapi.task.TaskHadoopConf
import ducklake.spark.types.SparkTypes
import ducklake.spark.write.TaskResult
import ducklake.spark.write.TaskWriterFactory
import ducklake.spark.write.WriteSpec
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.TimeType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.nio.file.Files
import java.nio.file.Path

/** Writes rows as an executor does, without a session, into a folder of its own. */
final class WrittenRows(
    columns: Vector[Column],
    options: Map[String, String] = Map.empty,
    partition: Vector[WriteKey] = Vector.empty,
    rule: SparkTypes.TimeRule = SparkTypes.TimeRule.AsString,
    scheme: String = "file",
    conf: Configuration = new Configuration(false),
    withoutBounds: Set[ColumnId] = Set.empty,
) {

  val folder: Path = Files.createTempDirectory("ducklake-written")

  private val types = columns.map(SparkTypes.of(_, rule))

  /** Spark converts TIME only where the session has it: such values come as nanoseconds. */
  private val converters = types.map {
    case _: TimeType => (value: Any) => value
    case other => CatalystTypeConverters.createToCatalystConverter(other)
  }

  private val config = {
    val stored = options.toVector.map { case (key, value) =>
      LakeOption(key, value, OptionScope.Global)
    }
    WriteConfig
      .of(stored, SchemaId(0), None, Map.empty, CaseInsensitiveStringMap.empty)
      .copy(columnsWithoutBounds = withoutBounds)
  }

  val spec: WriteSpec =
    WriteSpec("main.t", s"$scheme:$folder/", columns, rule, partition, config, maxBufferedRows = 0L)

  /** Rows in Spark's Row form. */
  def write(rows: Seq[Any]*): Vector[NewDataFile] = writeAll(rows.map(internal))

  /** A row of one value, in Spark's internal form. */
  def writeInternal(value: Any): Vector[NewDataFile] = writeAll(Seq(InternalRow(value)))

  private def writeAll(rows: Seq[InternalRow]): Vector[NewDataFile] = {
    val shared = TaskRows.broadcast(new TaskHadoopConf(conf))
    val writer = TaskWriterFactory(spec, shared).createWriter(0, 0L)
    try {
      rows.foreach(writer.write)
      writer.commit() match {
        case TaskResult(files, _) => files
        case other => throw new IllegalStateException(other.toString)
      }
    } catch {
      case failure: DuckLakeTaskException =>
        writer.abort()
        throw new LakeException(failure.error)
    } finally writer.close()
  }

  private def internal(row: Seq[Any]): InternalRow =
    InternalRow.fromSeq(row.zip(converters).map { case (value, convert) => convert(value) })

  def path(file: NewDataFile): Path = folder.resolve(file.path)

  /** All files below the folder, relative to it. */
  def listing: Vector[String] = {
    val paths = Files.walk(folder)
    try
      paths
        .filter(Files.isRegularFile(_))
        .map[String](folder.relativize(_).toString)
        .toArray
        .toVector
        .map(_.toString)
        .sorted
    finally paths.close()
  }
}
