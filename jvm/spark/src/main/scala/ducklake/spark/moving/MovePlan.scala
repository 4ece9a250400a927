package ducklake.spark.moving

import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.EpochOrdinal
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformText
import ducklake.catalog.partition.TransformValue
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType

/** How a table of another format becomes a table of a lake.
  *
  * @param keys the partition keys of the new table
  * @param left the keys that the new table does not have, each with the reason
  */
private[moving] final case class MovePlan(
    source: SourceTable,
    keys: Vector[PartitionKey],
    left: Vector[String],
    private val parts: Vector[MovePlan.Part],
) {

  /** The values of the keys in a file; None for a file that has none. */
  def partition(file: SourceFile): Option[Vector[Option[String]]] =
    file.partition.filter(_ => keys.nonEmpty).map(values => parts.map(_.valueIn(values)))

  def files: Vector[SourceFile] = source.files

  /** The plan for a table that moved before, without bucket keys that it does not have: such a key was
    * left behind because some files were older, and the source may have lost these files since.
    */
  def following(own: Vector[PartitionKey]): MovePlan = {
    def isOwn(key: PartitionKey): Boolean = key.transform match {
      case Transform.Bucket(_) =>
        own.exists(known => known.column == key.column && known.transform == key.transform)
      case _ => true
    }
    val (kept, dropped) = keys.zip(parts).partition { case (key, _) => isOwn(key) }
    copy(
      keys = kept.zipWithIndex.map { case ((key, _), index) => key.copy(index = index) },
      left = left ++ dropped.map { case (key, _) =>
        s"${MovePlan.text(key, source)}: the table moved without it"
      },
      parts = kept.map(_._2),
    )
  }
}

private[moving] object MovePlan {

  /** A key of the lake, with the place of the value from which its value comes. */
  private[moving] final case class Part(
      place: Int,
      column: ColumnId,
      transform: Transform,
      value: String => Option[String],
  ) {
    def valueIn(values: Vector[Option[String]]): Option[String] = values(place).flatMap(value)
  }

  /** @param version of the lake */
  def of(source: SourceTable, version: FormatVersion): MovePlan = {
    val planned = source.keys.zipWithIndex.map { case (key, place) =>
      partsOf(source, key, place, version)
    }
    val parts = planned
      .flatMap(_.getOrElse(Vector.empty))
      .distinctBy(part => (part.column, part.transform))
    MovePlan(
      source,
      parts.zipWithIndex.map { case (part, index) =>
        PartitionKey(index, part.column, part.transform)
      },
      planned.collect { case Left(why) => why },
      parts,
    )
  }

  private def partsOf(
      source: SourceTable,
      key: SourceKey,
      place: Int,
      version: FormatVersion,
  ): Either[String, Vector[Part]] =
    for {
      transform <- key.transform match {
        case SourceTransform.Same(known) => Right(known)
        case SourceTransform.Other => Left(s"${key.text}: lakes have no such key")
      }
      column <- source.columns
        .find(column => key.column.contains(column.id))
        .toRight(s"${key.text}: its column is a part of a column")
      lakeType <- column.dataType match {
        case primitive: LakeType.Primitive if TransformValue.accepts(transform, primitive) =>
          Right(primitive)
        case _ => Left(s"${key.text}: its column's type has no such key")
      }
      _ <- bucketProblem(source, key, transform, lakeType).toLeft(())
    } yield transform match {
      case Transform.Epoch(unit) if !version.hasEpochTransforms =>
        Transform.units
          .take(Transform.units.indexOf(unit) + 1)
          .map(part => Part(place, column.id, part, calendar(unit, part, lakeType)))
      case same => Vector(Part(place, column.id, same, Some(_)))
    }

  /** DuckDB passes over files that have no bucket when it looks for one value. */
  private def bucketProblem(
      source: SourceTable,
      key: SourceKey,
      transform: Transform,
      lakeType: LakeType.Primitive,
  ): Option[String] = transform match {
    case Transform.Bucket(_) if !hasSameHash(lakeType) =>
      Some(s"${key.text}: lakes hash values of this type in another way")
    case Transform.Bucket(_) =>
      val without = source.files.count(_.partition.isEmpty)
      Option.when(without > 0)(s"${key.text}: $without files are older than the key")
    case Transform.Identity | Transform.Epoch(_) | _: Transform.Calendar => None
  }

  /** Whether Iceberg and DuckLake give a value of the type the same bucket. */
  private def hasSameHash(lakeType: LakeType.Primitive): Boolean = lakeType match {
    case LakeType.Int32 | LakeType.Int64 | LakeType.Date | LakeType.Time | LakeType.Timestamp |
        LakeType.TimestampTz | LakeType.Varchar | LakeType.Blob =>
      true
    case _ => false
  }

  /** The part of the calendar that an ordinal decides, such as the month of a day. */
  private def calendar(
      unit: Transform.Calendar,
      part: Transform.Calendar,
      lakeType: LakeType.Primitive,
  )(ordinal: String): Option[String] =
    for {
      number <- ordinal.toLongOption
      (first, _) <- EpochOrdinal.range(unit, number, lakeType)
      text <- TransformValue.text(part, first, lakeType).toOption.flatten
    } yield text

  /** How a key is printed, such as `month(ts)`. */
  def text(key: PartitionKey, source: SourceTable): String = {
    val name = source.columns.find(_.id == key.column).fold("")(_.name)
    key.transform match {
      case Transform.Identity => name
      case Transform.Bucket(count) => s"bucket($count, $name)"
      case other => s"${TransformText.print(other)}($name)"
    }
  }
}
