package ducklake.catalog.registration

import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.MappedColumn
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.HivePath
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformText
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.MinTemporal
import ducklake.catalog.types.Names
import ducklake.catalog.types.inlined.Defaults

/** The requirements on every file of one call.
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
  * @param partition the values of the partition keys; None when the path states them
  * @param statistics of a leaf by its ordinal, in the file's type
  * @param stated values of columns that are not in the file, by name, as if the path had them; None
  *   for those of the path
  */
final case class FileFacts(
    path: String,
    recordCount: Long,
    columns: Vector[FileColumn],
    statistics: MatchedLeaf => ColumnStatistics,
    partition: Option[Vector[Option[String]]] = None,
    stated: Option[Vector[(String, Option[String])]] = None,
)

/** A file that can be registered: its mapping, partition values, and statistics by column. */
final case class Registrable(
    mapping: Vector[MappedColumn],
    partition: Option[Vector[Option[String]]],
    statistics: Map[ColumnId, ColumnStatistics],
)

/** Why a file cannot be registered: a part of a sentence after the file's name, and advice. */
final case class Refusal(why: String, hint: String)

/** Decides whether an existing file can become a data file of a table (decision 11). */
final class FileRegistration(request: RegistrationRequest) {

  private val folders: Vector[String] = HivePath.names(request.keys.flatMap { key =>
    columnOf(key).map(column => HivePath.Key(key.transform, column.name))
  })

  /** The columns without bounds, and their parts. */
  private val unbounded: Set[ColumnId] =
    request.columns.filter(column => request.withoutBounds(column.id)).flatMap(within).toSet

  def of(facts: FileFacts): Either[Refusal, Registrable] = {
    val stated = facts.stated.getOrElse {
      if (request.usesPathKeys) PathKeys.of(facts.path) else Vector.empty
    }
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
      _ <- withinTime(matched.leaves, facts)
      shadowed = converted(matched.shadowed, facts)
      constants <- all(fromPath.map { case (name, column) =>
        val own = shadowed.get(column.id).filter(_ => facts.recordCount > 0)
        constant(column, stated.toMap.apply(name), own, facts)
      })
      inside = converted(matched.leaves, facts)
      statistics = inside ++ constants
      _ <- withoutNulls(statistics, facts)
      values <- all(request.keys.zip(folders).zipWithIndex.map { case ((key, folder), index) =>
        val value = facts.partition.fold(stated.toMap.get(folder))(_.lift(index))
        partitionValue(key, value, statistics, facts.recordCount)
      })
    } yield Registrable(
      matched.mapping,
      Option.when(request.keys.nonEmpty)(values),
      matched.leaves.map(leaf => leaf.column -> kept(leaf, inside(leaf.column))).toMap ++ constants,
    )
  }

  /** The statistics for the catalog. Only the proof of partition keys needed whole bounds, and
    * bounds of columns that are stored without bounds. A value of the path keeps its bounds,
    * because readers take it from them.
    */
  private def kept(leaf: MatchedLeaf, known: ColumnStatistics): ColumnStatistics =
    if (unbounded(leaf.column)) known.copy(min = None, max = None)
    else known.truncated(leaf.columnType)

  private def within(column: Column): Vector[ColumnId] =
    column.id +: column.children.flatMap(within)

  private def columnOf(key: PartitionKey): Option[Column] =
    request.columns.find(_.id == key.column)

  /** The column whose value a key of the path gives. Names are compared with their case. */
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

  /** The value of a column by the path. All rows of the file's own column must have it, because
    * readers show the value of the path.
    */
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
      _ <- own
        .fold(PartitionProof.value(key))(_ => PartitionProof.certain(key))
        .left
        .map(RefusalText.of)
    } yield column.id -> statistics

  /** Some writers store the smallest number for NULL. DuckDB fails to read it. */
  private def withinTime(leaves: Vector[MatchedLeaf], facts: FileFacts): Either[Refusal, Unit] =
    leaves
      .find(facts.statistics(_).min.collect { case MinTemporal(_) => () }.nonEmpty)
      .map(leaf => RefusalText.belowInfinity(nameOf(leaf.column, request.columns)))
      .toLeft(())

  private def nameOf(id: ColumnId, columns: Vector[Column]): String =
    columns.find(within(_).contains(id)).fold("") { found =>
      if (found.id == id) found.name else s"${found.name}.${nameOf(id, found.children)}"
    }

  /** Columns that take no NULL must be known to have none. A nested column has no count of its own:
    * it must be required by the file's schema, or be a struct with a leaf that is never NULL.
    * Leaves of lists and maps prove nothing, because not all writers count the NULLs around them.
    */
  private def withoutNulls(
      statistics: Map[ColumnId, ColumnStatistics],
      facts: FileFacts,
  ): Either[Refusal, Unit] = {
    val optional = facts.columns
      .filter(field => facts.recordCount > 0 && !field.isRequired)
      .flatMap(field => Names.find(request.columns, field.name)(_.name))
      .map(_.id)
      .toSet
    def isFull(id: ColumnId): Boolean = statistics.get(id).exists(_.nullCount.contains(0L))
    request.columns
      .filterNot(_.nullsAllowed)
      .find { column =>
        if (primitive(column).isEmpty)
          optional(column.id) && !structLeaves(column).exists(isFull)
        else statistics.contains(column.id) && !isFull(column.id)
      }
      .map(column => RefusalText.nulls(column.name, statistics.get(column.id).flatMap(_.nullCount)))
      .toLeft(())
  }

  /** The leaves of a struct that are not inside lists or maps. */
  private def structLeaves(column: Column): Vector[ColumnId] =
    column.dataType match {
      case LakeType.StructType => column.children.flatMap(structLeaves)
      case LakeType.ListType | LakeType.MapType => Vector.empty
      case _ => Vector(column.id)
    }

  private def partitionValue(
      key: PartitionKey,
      stated: Option[Option[String]],
      statistics: Map[ColumnId, ColumnStatistics],
      rows: Long,
  ): Either[Refusal, Option[String]] =
    for {
      column <- columnOf(key).toRight(RefusalText.nested(TransformText.print(key.transform)))
      lakeType <- primitive(column).toRight(RefusalText.nested(column.name))
      facts = PartitionKeyFacts(
        column.name,
        lakeType,
        key.transform,
        stated,
        statistics.get(column.id),
      )
      value <- facts.statistics
        .fold(PartitionProof.certain(facts.copy(statistics = missing(column, rows))))(_ =>
          PartitionProof.value(facts)
        )
        .left
        .map(RefusalText.of)
    } yield value

  /** The statistics of a column that the file lacks: readers show its default. None when the
    * default cannot be read.
    */
  private def missing(column: Column, rows: Long): Option[ColumnStatistics] =
    Defaults.initial(column).toOption.map {
      case Literal.Null => PathValue.constant(None, 0L, rows)
      case value => PathValue.constant(Some(value), rows, 0L)
    }

  private def all[A](parts: Vector[Either[Refusal, A]]): Either[Refusal, Vector[A]] =
    parts.foldLeft[Either[Refusal, Vector[A]]](Right(Vector.empty)) { (done, part) =>
      for {
        before <- done
        next <- part
      } yield before :+ next
    }
}
