package ducklake.catalog.change.operation

import ducklake.catalog.change.schema.NameRules
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformText
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText

/** The types, keys and names that tables of a lake of this version can have. A DuckDB that does not
  * know a type or a partition key of one table cannot open the lake at all.
  *
  * Source: format 8.1, 14.3, 14.5 and 14.9; DuckDB 1.5.5 for the shapes, observed.
  */
final class FormatRules(version: FormatVersion) {

  /** Checks what the operation brings into its table. Existing parts of the table are not checked,
    * so that a table made by another engine can still be changed.
    *
    * Errors: InvalidName; Unsupported for types and partition keys.
    */
  def check(operation: Operation): Either[LakeError, Unit] = operation match {
    case shaping: Operation.Shaping => checkShape(shaping)
    case _ => Right(())
  }

  private def checkShape(shaping: Operation.Shaping): Either[LakeError, Unit] = shaping match {
    case Operation.CreateTable(_, _, _, made, _, _) =>
      for {
        _ <- names(made.columns, Vector.empty)
        _ <- unknownType(made.columns)
        _ <- newParts(made.name, made.columns, made.partition, None)
      } yield ()
    case Operation.AlterTable(table, _, after) =>
      names(after.columns, table.columns)
        .flatMap(_ => newParts(table.qualifiedName, after.columns, after.partition, Some(table)))
    case Operation.RestoreTable(present, past, _) =>
      newParts(past.qualifiedName, past.columns, keysOf(past), present)
    case Operation.DropTable(_) => Right(())
  }

  /** Whether partition keys may have the transform. */
  def has(transform: Transform): Boolean = transform match {
    case Transform.Epoch(_) => version.hasEpochTransforms
    case _ => true
  }

  private def names(columns: Vector[Column], present: Vector[Column]): Either[LakeError, Unit] =
    columns.map(_.name).diff(present.map(_.name)).foldLeft[Either[LakeError, Unit]](Right(())) {
      (checked, name) => checked.flatMap(_ => NameRules.column(name, version))
    }

  private def unknownType(columns: Vector[Column]): Either[LakeError, Unit] =
    columns
      .flatMap(nodes)
      .map(_.dataType)
      .collectFirst { case LakeType.Unknown(text) =>
        LakeError.Unsupported(
          s"A new column of type $text, which this connector does not know,",
          "Create the table with the DuckDB that knows the type.",
        )
      }
      .toLeft(())

  private def newParts(
      table: String,
      columns: Vector[Column],
      keys: Vector[PartitionKey],
      present: Option[LakeTable],
  ): Either[LakeError, Unit] = {
    val types = typesOf(columns) -- present.fold(Set.empty[LakeType])(now => typesOf(now.columns))
    val before = present.fold(Set.empty[Transform])(now => transformsOf(keysOf(now)))
    val refused = types.toVector.flatMap { each =>
      hint(each).map((s"The type ${TypeText.print(each)}", _))
    } ++ (transformsOf(keys) -- before).toVector.filterNot(has).map { each =>
      (s"The partition key ${TransformText.print(each)}", FormatRules.Since11)
    }
    refused.headOption
      .map { case (what, hint) =>
        LakeError
          .Unsupported(s"$what of table $table in a lake of version ${version.text}", hint)
      }
      .toLeft(())
  }

  /** What to do instead of a new column of the type; None when the lake may have it. */
  private def hint(lakeType: LakeType): Option[String] = lakeType match {
    case LakeType.TimestampTzNs | LakeType.NullType if !version.hasNewTypes =>
      Some(FormatRules.Since11)
    case LakeType.Geometry(family) if family != FormatRules.AnyGeometry =>
      Some(
        "DuckDB opens no lake that has it, although the specification names it. Take `geometry`, " +
          "which holds every shape."
      )
    case _ => None
  }

  private def keysOf(table: LakeTable): Vector[PartitionKey] =
    table.partition.fold(Vector.empty[PartitionKey])(_.keys)

  private def typesOf(columns: Vector[Column]): Set[LakeType] =
    columns.flatMap(nodes).map(_.dataType).toSet

  private def transformsOf(keys: Vector[PartitionKey]): Set[Transform] = keys.map(_.transform).toSet

  private def nodes(column: Column): Vector[Column] = column +: column.children.flatMap(nodes)
}

private object FormatRules {
  val AnyGeometry = "geometry"
  val Since11 = "DuckDB 1.5 could not open the lake any more. Lakes of version 1.1 may have it."
}
