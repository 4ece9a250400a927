package ducklake.spark.ddl

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.types.Column
import ducklake.catalog.types.Names
import ducklake.spark.partitioning.SparkTransforms
import ducklake.spark.types.ChosenTypes

/** Compares a table with the table that replaces it. */
private[ddl] object LostLayout {

  /** The features of the old table that the new table lacks, as parts of a sentence. Other
    * partition keys and another sort order are not lost: the statement names them.
    *
    * @param options the names of the lake options that are stored for the old table
    */
  def of(old: LakeTable, options: Vector[String], next: Operation.CreateTable): Vector[String] = {
    val after = next.definition.columns.map(column => Names.folded(column.name) -> column).toMap
    val pairs = old.columns.flatMap(column => after.get(Names.folded(column.name)).map(column -> _))
    partition(old, next) ++ sort(old, next) ++
      columns("NOT NULL of", pairs)((one, other) => !one.nullsAllowed && other.nullsAllowed) ++
      columns("the default of", pairs)((one, other) =>
        one.default.nonEmpty && other.default.isEmpty
      ) ++
      columns("the comment on", pairs)((one, other) =>
        one.comment.nonEmpty && other.comment.isEmpty
      ) ++
      columns("the type of", pairs) { (one, other) =>
        ChosenTypes.of(one).nonEmpty && one.dataType != other.dataType
      } ++
      named("the option", options.filterNot(next.options.contains)) ++
      tags(old.tags.keySet -- next.definition.tags.keySet)
  }

  private def partition(old: LakeTable, next: Operation.CreateTable): Vector[String] = {
    val keys = old.partition.fold(Vector.empty[PartitionKey])(_.keys)
    if (keys.isEmpty || next.definition.partition.nonEmpty) Vector.empty
    else
      Vector(s"the partition keys (${keys.map(SparkTransforms.describe(old, _)).mkString(", ")})")
  }

  private def sort(old: LakeTable, next: Operation.CreateTable): Vector[String] = {
    val keys = old.sort.toVector.flatMap(_.keys)
    if (keys.isEmpty || next.definition.sort.nonEmpty) Vector.empty
    else Vector(s"the sort order (${keys.map(_.expression).mkString(", ")})")
  }

  private def columns(what: String, pairs: Vector[(Column, Column)])(
      isLost: (Column, Column) => Boolean
  ): Vector[String] =
    named(what, pairs.collect { case (one, other) if isLost(one, other) => one.name })

  private def tags(lost: Set[String]): Vector[String] = {
    val (comment, others) = lost.toVector.sorted.partition(_ == "comment")
    comment.map(_ => "the comment") ++ named("the property", others)
  }

  private def named(what: String, names: Vector[String]): Vector[String] =
    if (names.isEmpty) Vector.empty
    else Vector(s"$what ${names.map(name => s"`$name`").mkString(", ")}")
}
