package ducklake.files.store

import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.filter2.compat.RowGroupFilter
import org.apache.parquet.filter2.compat.RowGroupFilter.FilterLevel
import org.apache.parquet.filter2.predicate.FilterApi
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.parquet.filter2.predicate.Operators
import org.apache.parquet.filter2.statisticslevel.StatisticsFilter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.io.InputFile
import org.apache.parquet.io.SeekableInputStream

import java.util.Collections

import scala.jdk.CollectionConverters.*

/** Finds the row groups of a file that may hold matching rows.
  *
  * The footer has the statistics. Bloom filters and dictionaries have to be read, and Parquet's own
  * search reads both for each comparison, one by one; in an object store each read is a request.
  * Here they are read only when they can decide more than the statistics: whether a column contains
  * a value. The bloom filters of all row groups are read at once, and a dictionary is not read when
  * there is a bloom filter.
  *
  * @param options choose which of the three are used
  */
final class MatchingGroups(
    input: InputFile,
    footer: ParquetMetadata,
    options: ParquetReadOptions,
    stream: SeekableInputStream,
) {
  import MatchingGroups.*

  def of(filter: FilterPredicate): Vector[BlockMetaData] = {
    val left = footer.getBlocks.asScala.toVector.filterNot { group =>
      options.useStatsFilter && StatisticsFilter.canDrop(filter, group.getColumns)
    }
    val probes = left.map(group => Probe(group, open(filter, group.getColumns)))
    withoutByDictionary(withoutByFilter(probes)).map(_.group)
  }

  private def withoutByFilter(probes: Vector[Probe]): Vector[Probe] =
    if (!options.useBloomFilter || !probes.exists(_.chunks.exists(hasBloomFilter))) probes
    else
      reading(bloomFilters(probes)) { reader =>
        probes.filter(_.mayMatch(FilterLevel.BLOOMFILTER, reader)).map(_.withoutFiltered)
      }

  private def withoutByDictionary(probes: Vector[Probe]): Vector[Probe] =
    if (!options.useDictionaryFilter || !probes.exists(_.question.nonEmpty)) probes
    else reading(stream)(reader => probes.filter(_.mayMatch(FilterLevel.DICTIONARY, reader)))

  /** The needed bloom filters, in memory. Writers put them close together, so one request reads all
    * of them. When they are far apart, or their sizes are not known, the file itself.
    */
  private def bloomFilters(probes: Vector[Probe]): SeekableInputStream = {
    val chunks = probes.flatMap(_.chunks.filter(hasBloomFilter))
    val start = chunks.map(_.getBloomFilterOffset).min
    val end = chunks.map(chunk => chunk.getBloomFilterOffset + chunk.getBloomFilterLength).max
    val isOnePiece = chunks.forall(_.getBloomFilterLength > 0) && end - start <= MostBytes
    if (isOnePiece) KnownFile.piece(stream, start, (end - start).toInt) else stream
  }

  /** The stream stays open. */
  private def reading[A](from: SeekableInputStream)(read: ParquetFileReader => A): A =
    ParquetReaders.reading(input, footer, options, from)(read)
}

private object MatchingGroups {

  /** About as many bytes as an object store sends in the time of two requests. */
  private val MostBytes = 4L * 1024 * 1024

  /** The open question on a row group; None: the row group may hold matching rows. */
  private final case class Probe(group: BlockMetaData, question: Option[FilterPredicate]) {

    def chunks: Vector[ColumnChunkMetaData] =
      question.toVector.flatMap(columnsOf).flatMap(chunkOf(_, group.getColumns))

    /** Whether bloom filters or dictionaries admit matching rows in the group. */
    def mayMatch(level: FilterLevel, reader: ParquetFileReader): Boolean =
      question.forall { asked =>
        val alone = Collections.singletonList(group)
        val levels = Collections.singletonList(level)
        !RowGroupFilter.filterRowGroups(levels, FilterCompat.get(asked), alone, reader).isEmpty
      }

    /** Without the questions that bloom filters have answered. */
    def withoutFiltered: Probe = Probe(group, question.flatMap(unanswered(_, group.getColumns)))
  }

  private type Chunks = java.util.List[ColumnChunkMetaData]

  /** The part of the filter that values can still make false, after statistics could not.
    * Statistics alone decide comparisons by order: when the minimum satisfies `<`, the column has a
    * matching value.
    */
  private def open(filter: FilterPredicate, chunks: Chunks): Option[FilterPredicate] =
    filter match {
      case both: Operators.And =>
        Vector(both.getLeft, both.getRight).flatMap(open(_, chunks)).reduceOption(FilterApi.and)
      case either: Operators.Or =>
        val sides = Vector(either.getLeft, either.getRight)
          .filterNot(StatisticsFilter.canDrop(_, chunks))
          .map(open(_, chunks))
        if (sides.forall(_.nonEmpty)) sides.flatten.reduceOption(FilterApi.or) else None
      case equal: Operators.Eq[_] => Option.when(equal.getValue != null)(equal)
      case in: Operators.In[_] => Some(in)
      case other => Option.when(!columnsOf(other).forall(isBounded(_, chunks)))(other)
    }

  /** The part of a question of [[open]] that bloom filters cannot answer. */
  private def unanswered(question: FilterPredicate, chunks: Chunks): Option[FilterPredicate] =
    question match {
      case both: Operators.And =>
        val sides = Vector(both.getLeft, both.getRight)
        sides.flatMap(unanswered(_, chunks)).reduceOption(FilterApi.and)
      case either: Operators.Or =>
        val sides = Vector(either.getLeft, either.getRight)
        Option.when(sides.exists(unanswered(_, chunks).nonEmpty))(either)
      case value @ (_: Operators.Eq[_] | _: Operators.In[_]) =>
        val asked = columnsOf(value).flatMap(chunkOf(_, chunks))
        Option.when(!asked.forall(hasBloomFilter))(value)
      case other => Some(other)
    }

  private def columnsOf(filter: FilterPredicate): Vector[Operators.Column[?]] =
    filter match {
      case both: Operators.And => Vector(both.getLeft, both.getRight).flatMap(columnsOf)
      case either: Operators.Or => Vector(either.getLeft, either.getRight).flatMap(columnsOf)
      case leaf: Operators.Eq[_] => Vector(leaf.getColumn)
      case leaf: Operators.NotEq[_] => Vector(leaf.getColumn)
      case leaf: Operators.In[_] => Vector(leaf.getColumn)
      case leaf: Operators.Lt[_] => Vector(leaf.getColumn)
      case leaf: Operators.LtEq[_] => Vector(leaf.getColumn)
      case leaf: Operators.Gt[_] => Vector(leaf.getColumn)
      case leaf: Operators.GtEq[_] => Vector(leaf.getColumn)
      case other => throw new IllegalStateException(s"no filter of ParquetPredicates: $other")
    }

  private def chunkOf(column: Operators.Column[?], chunks: Chunks): Option[ColumnChunkMetaData] =
    chunks.asScala.find(_.getPath == column.getColumnPath)

  private def hasBloomFilter(chunk: ColumnChunkMetaData): Boolean =
    chunk.getBloomFilterOffset >= 0

  private def isBounded(column: Operators.Column[?], chunks: Chunks): Boolean =
    chunkOf(column, chunks).forall { chunk =>
      Option(chunk.getStatistics).exists(_.hasNonNullValue)
    }
}
