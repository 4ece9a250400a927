package ducklake.catalog.registration

import ducklake.catalog.model.Column
import ducklake.catalog.model.ColumnId
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.HivePath
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformText
import ducklake.catalog.types.LakeType

/** What is asked of every file of one call.
  *
  * @param columns the table's columns
  * @param keys the table's partition keys; empty for a table that is not partitioned
  * @param usesPathKeys whether `key=value` folders of the path give values
  * @param withoutBounds columns whose values, and those of their parts, get no bounds
  */
final case class RegistrationRequest(
    columns: Vector[Column],
    keys: Vector[PartitionKey],
    rules: MatchRules,
    usesPathKeys: Boolean,
    withoutBounds: Set[ColumnId],
)

/** An existing file.
  *
  * @param statistics of a leaf by its ordinal, in the file's type
  */
final case class FileFacts(
    path: String,
    recordCount: Long,
    columns: Vector[FileColumn],
    statistics: MatchedLeaf => ColumnStatistics,
)

/** A file that can be registered: its mapping, partition values, and statistics by column. */
final case class Registrable(
    mapping: Vector[MappedColumn],
    partition: Option[Vector[Option[String]]],
    statistics: Map[ColumnId, ColumnStatistics],
)

/** Why a file cannot be registered: a part of a sentence after the file's name, and advice. */
final case class Refusal(why: String, hint: String)

/** Decides whether an existing file can become a data file of a table (decision 0030). */
final class FileRegistration(request: RegistrationRequest) {

  private val folders: Vector[String] = HivePath.names(request.keys.flatMap { key =>
    columnOf(key).map(column => HivePath.Key(key.transform, column.name))
  })

  /** The columns without bounds, and their parts. */
  private val unbounded: Set[ColumnId] =
    request.columns.filter(column => request.withoutBounds(column.id)).flatMap(within).toSet

  def of(facts: FileFacts): Either[Refusal, Registrable] = {
    val stated = if (request.usesPathKeys) PathKeys.of(facts.path) else Vector.empty
    val fromPath = stated
      .flatMap { case (name, _) => pathColumn(name).map(name -> _) }
      .sortBy { case (_, column) => request.columns.indexWhere(_.id == column.id) }
    for {
      matched <- SchemaMatch
        .of(request.columns, facts.columns, fromPath, request.rules)
        .left
        .map(RefusalText.of)
      // DuckDB cannot read a file whose mapping is empty.
      _ <- Either.cond(matched.leaves.nonEmpty || fromPath.nonEmpty, (), RefusalText.nothing)
      shadowed = converted(matched.shadowed, facts)
      constants <- all(fromPath.map { case (name, column) =>
        constant(column, stated.toMap.apply(name), shadowed.get(column.id), facts)
      })
      inside = converted(matched.leaves, facts)
      statistics = inside ++ constants
      _ <- withoutNulls(statistics)
      values <- all(request.keys.zip(folders).map { case (key, folder) =>
        partitionValue(key, stated.toMap.get(folder), statistics)
      })
    } yield Registrable(
      matched.mapping,
      Option.when(request.keys.nonEmpty)(values),
      inside.map(withoutBounds) ++ constants,
    )
  }

  /** Only the proof of partition keys has needed these bounds. A value of the path keeps them, because
    * readers take it from there.
    */
  private def withoutBounds(entry: (ColumnId, ColumnStatistics)): (ColumnId, ColumnStatistics) = {
    val (column, known) = entry
    column -> (if (unbounded(column)) known.copy(min = None, max = None) else known)
  }

  private def within(column: Column): Vector[ColumnId] =
    column.id +: column.children.flatMap(within)

  private def columnOf(key: PartitionKey): Option[Column] =
    request.columns.find(_.id == key.column)

  /** The column that a key of the path gives its value. Names are compared with their case. */
  private def pathColumn(name: String): Option[Column] =
    request.columns.find(column => column.name == name && primitive(column).nonEmpty)

  private def primitive(column: Column): Option[LakeType.Primitive] =
    PartialFunction.condOpt(column.dataType) { case primitive: LakeType.Primitive => primitive }

  private def converted(
      leaves: Vector[MatchedLeaf],
      facts: FileFacts,
  ): Map[ColumnId, ColumnStatistics] =
    leaves.map { leaf =>
      leaf.column ->
        ConvertedStatistics.of(facts.statistics(leaf), leaf.fileType, leaf.columnType)
    }.toMap

  /** The value of a column by the path, which the file's own column must not contradict. */
  private def constant(
      column: Column,
      text: Option[String],
      own: Option[ColumnStatistics],
      facts: FileFacts,
  ): Either[Refusal, (ColumnId, ColumnStatistics)] =
    for {
      lakeType <- primitive(column).toRight(RefusalText.nested(column.name))
      statistics <- PathValue
        .statistics(text, lakeType, facts.recordCount)
        .left
        .map(RefusalText.ofPath(column.name, _))
      key = PartitionKeyFacts(
        column.name,
        lakeType,
        Transform.Identity,
        Some(text),
        own,
      )
      _ <- PartitionProof.value(key).left.map(RefusalText.of)
    } yield column.id -> statistics

  /** Columns that take no NULL must be known to have none. */
  private def withoutNulls(statistics: Map[ColumnId, ColumnStatistics]): Either[Refusal, Unit] =
    request.columns
      .filterNot(_.nullsAllowed)
      .find(column => statistics.get(column.id).exists(!_.nullCount.contains(0L)))
      .map(column => RefusalText.nulls(column.name, statistics(column.id).nullCount))
      .toLeft(())

  private def partitionValue(
      key: PartitionKey,
      stated: Option[Option[String]],
      statistics: Map[ColumnId, ColumnStatistics],
  ): Either[Refusal, Option[String]] =
    for {
      column <- columnOf(key).toRight(RefusalText.nested(TransformText.print(key.transform)))
      lakeType <- primitive(column).toRight(RefusalText.nested(column.name))
      known = statistics.get(column.id)
      facts = PartitionKeyFacts(column.name, lakeType, key.transform, stated, known)
      value <- PartitionProof.value(facts).left.map(RefusalText.of)
    } yield value

  private def all[A](parts: Vector[Either[Refusal, A]]): Either[Refusal, Vector[A]] =
    parts.foldLeft[Either[Refusal, Vector[A]]](Right(Vector.empty)) { (done, part) =>
      for {
        before <- done
        next <- part
      } yield before :+ next
    }
}
