package ducklake.spark.filters

import ducklake.catalog.cache.BucketIndex
import ducklake.catalog.cache.ColumnIndex
import ducklake.catalog.cache.ColumnIndexBuilder
import ducklake.catalog.cache.FileIndex
import ducklake.catalog.model.FilePartition
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.Snapshot
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformValue
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.pruning.IndexPruning
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.PartitionId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.text.ValueText
import ducklake.spark.parquet.read.FilePlan
import ducklake.spark.testkit.DuckDbFiles
import ducklake.spark.testkit.TaskRows
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.filter2.bloomfilterlevel.BloomFilterImpl
import org.apache.parquet.filter2.dictionarylevel.DictionaryFilter
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.parquet.filter2.predicate.SchemaCompatibilityValidator
import org.apache.parquet.filter2.statisticslevel.StatisticsFilter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.types.DataType

import java.time.Instant

import scala.collection.immutable.VectorMap
import scala.jdk.CollectionConverters.*

/** Files of one column, written by DuckDB, and what the catalog would say of them.
  *
  * @param places which of the column's values each file holds; the number of values: NULL
  */
final class FilteredFiles(about: FilteredColumn, places: Vector[Vector[Int]], duckDb: DuckDbFiles) {

  private val id = ColumnId(1)
  val column: Column = TaskRows.column(1, "c", about.now)
  val dataType: DataType = TaskRows.data(column).sparkType

  private val literals = about.values :+ "NULL"

  private def select(of: Vector[Int]): String =
    of.map(at => s"SELECT (${literals(at)})::${about.stored} AS c").mkString(" UNION ALL ")

  private def write(name: String, of: Vector[Int]): java.nio.file.Path =
    duckDb.write(s"${about.stored} ${about.now} $name".filter(_ != '/'), select(of), "{c: 1}")

  /** All values, as Spark reads them, in its internal form. */
  val values: Vector[Any] = {
    val file = write("all.parquet", literals.indices.toVector)
    TaskRows.internal(TaskRows.spec(TaskRows.data(column)), TaskRows.part(file)).map(_.head)
  }

  def indices: Vector[Int] = places.indices.toVector

  /** The values of a file. */
  def valuesOf(file: Int): Vector[Any] = places(file).map(values)

  /** Not all are really written: that takes most of the time. */
  private val written = (places.indices.take(3) ++ places.indices.takeRight(3)).distinct

  private val files = written.map(at => at -> write(s"$at.parquet", places(at))).toMap

  private val conf = new Configuration

  private val readers = files.map { case (at, file) =>
    at -> ParquetFileReader.open(HadoopInputFile.fromPath(new Path(s"file:$file"), conf))
  }

  def close(): Unit = readers.values.foreach(_.close())

  private val spec = TaskRows.spec(TaskRows.data(column))
  private val schema = readers(written.head).getFooter.getFileMetaData.getSchema
  private val part = TaskRows.part(files(written.head))

  /** Whether Parquet's own statistics, dictionaries and Bloom filters leave something of a file. */
  def isKeptByParquet(predicate: Predicate): Int => Boolean = {
    val plan = FilePlan.of(part, spec.copy(predicates = Vector(predicate)), schema)
    plan.filter.foreach(SchemaCompatibilityValidator.validate(_, schema))
    at =>
      plan.filter.zip(readers.get(at)).forall { case (filter, reader) =>
        reader.getFooter.getBlocks.asScala.exists(!canDrop(filter, _, reader))
      }
  }

  private def canDrop(
      filter: FilterPredicate,
      block: BlockMetaData,
      reader: ParquetFileReader,
  ): Boolean = {
    val columns = block.getColumns
    StatisticsFilter.canDrop(filter, columns) ||
    DictionaryFilter.canDrop(filter, columns, reader.getDictionaryReader(block)) ||
    BloomFilterImpl.canDrop(filter, columns, reader.getBloomFilterDataReader(block))
  }

  private val isFloat = Set("FLOAT", "DOUBLE").contains(about.stored)

  /** For each file the text of an aggregate; None: NULL. */
  private def texts(aggregate: String): Vector[Option[String]] = {
    val each = places.map(of => s"(SELECT ($aggregate)::VARCHAR FROM (${select(of)}))")
    duckDb.texts(s"SELECT unnest([${each.mkString(", ")}])").map(Option(_).filter(_ != "NULL"))
  }

  private val statistics: ColumnIndex = {
    val flags = ColumnIndex.Flags
    val builder = new ColumnIndexBuilder(about.now, places.size)
    val plain = if (isFloat) " FILTER (NOT isnan(c))" else ""
    val (min, max) = (texts(s"min(c)$plain"), texts(s"max(c)$plain"))
    val nan = texts(if (isFloat) "coalesce(bool_or(isnan(c)), false)" else "bool_or(false)")
    places.indices.foreach { at =>
      val nulls = places(at).count(_ == about.values.size)
      val counts = (if (nulls == places(at).size) flags.noValues else flags.someValues) |
        (if (nulls == 0) flags.noNulls else flags.someNulls) |
        (if (isFloat && nan(at).contains("false")) flags.noNan else 0)
      builder.put(at, min(at), max(at), counts.toInt, nulls.toLong)
    }
    builder.build()
  }

  private val layout = {
    val transforms = Vector(Transform.Bucket(5))
    val taken = transforms.filter(TransformValue.accepts(_, about.before))
    PartitionSpec(
      PartitionId(1),
      taken.zipWithIndex.map { case (transform, at) => PartitionKey(at, id, transform) },
    )
  }

  /** Of files of one value. */
  private val buckets: BucketIndex = {
    val single = places.indices.filter(places(_).size == 1)
    val only = texts("any_value(c)")
    val values = single.map { at =>
      val literal = only(at)
      val stored = literal.flatMap(ValueText.parseCast(_, about.before))
      FilePartition(
        PartitionId(1),
        layout.keys.flatMap { key =>
          if (literal.isEmpty) Some(key.index -> None)
          else
            stored.map { value =>
              key.index -> TransformValue
                .text(key.transform, value, about.before)
                .fold(why => throw new IllegalStateException(why), identity)
            }
        }.toMap,
      )
    }
    val codes = places.indices.map(single.indexOf(_)).toArray
    new BucketIndex(Vector(layout), codes, values.toVector, Set.empty)
  }

  private def index(columns: VectorMap[ColumnId, ColumnIndex], layout: Option[BucketIndex]) = {
    val snapshot = Snapshot(SnapshotId(1), Instant.EPOCH, 1, 10, 10)
    val ids = places.indices.map(_.toLong).toArray
    new FileIndex(snapshot, snapshot, ids, ids, Array.empty, columns, layout)
  }

  private val byStatistics = index(VectorMap(id -> statistics), None)
  private val byBucket = index(VectorMap.empty, Some(buckets))
  private val types = Map(id -> about.now)

  def keptByStatistics(predicate: Predicate): Set[Int] = kept(byStatistics, predicate)

  def keptByBucket(predicate: Predicate): Set[Int] = kept(byBucket, predicate)

  private def kept(index: FileIndex, predicate: Predicate): Set[Int] =
    IndexPruning.matching(index, Vector(predicate), Vector(layout), types.get).toSet

  /** Files all of whose rows are said to match. */
  def whole(predicate: Predicate): Vector[Int] =
    indices.filter(IndexPruning.isFullMatch(byStatistics, Vector(predicate), types.get)(_))
}
