package ducklake.spark.write

import ducklake.spark.layout.WriteKey
import ducklake.catalog.partition.CalendarRange
import ducklake.catalog.partition.Transform
import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeTraits
import ducklake.catalog.types.ValueText

/** What is true of every row of some partitions, for files that cannot hold one to be left out. */
private[write] object PartitionPredicates {

  /** None where nothing can be said. */
  def of(keys: Vector[WriteKey], partitions: Set[Vector[Option[String]]]): Option[Predicate] = {
    val each = partitions.toVector.map(ofPartition(keys, _))
    if (partitions.size > mostPartitions || each.exists(_.isEmpty)) None
    else each.flatten.reduceOption(Predicate.Or(_, _))
  }

  /** Beyond them a test for each file costs more than it saves. */
  private val mostPartitions = 1000

  private def ofPartition(
      keys: Vector[WriteKey],
      values: Vector[Option[String]],
  ): Option[Predicate] = {
    val byKey = keys.zip(values)
    val identities = byKey.collect {
      case (key, value) if key.transform == Transform.Identity =>
        identity(key, value)
    }
    val ranges = byKey.groupBy(_._1.column.id).values.toVector.map(calendar)
    (identities ++ ranges).flatten.reduceOption(Predicate.And(_, _))
  }

  private def identity(key: WriteKey, value: Option[String]): Option[Predicate] =
    (value, key.column.dataType) match {
      case (None, _) => Some(Predicate.IsNull(key.column.id))
      case (Some(text), lakeType: LakeType.Primitive) if TypeTraits.of(lakeType).hasOneText =>
        ValueText
          .parseCast(text, lakeType)
          .map(Predicate.Compare(key.column.id, Comparison.Equal, _))
      case (Some(_), _) => None
    }

  /** Parts of one column; without all of them nothing is said: NULL and infinity have none. */
  private def calendar(byKey: Vector[(WriteKey, Option[String])]): Option[Predicate] = {
    val column = byKey.head._1.column
    val parts = for {
      (key, value) <- byKey
      text <- value
      number <- text.toIntOption
    } yield key.transform -> number
    CalendarRange.of(parts.toMap, column.dataType).map { case (first, last) =>
      Predicate.And(
        Predicate.Compare(column.id, Comparison.GreaterOrEqual, first),
        Predicate.Compare(column.id, Comparison.LessOrEqual, last),
      )
    }
  }
}
