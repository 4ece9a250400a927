package ducklake.catalog.registration

import ducklake.catalog.model.MappedColumn
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Names
import ducklake.catalog.types.TypeText

/** How a file's columns correspond to a table's columns.
  *
  * @param mapping the name mapping: columns in the order of the file, then columns whose values
  *   come from the path
  * @param leaves the leaves of the file that the table shows, in the order of the file
  * @param shadowed leaves of the file whose column takes its value from the path; the table does
  *   not show them
  */
final case class SchemaMatch(
    mapping: Vector[MappedColumn],
    leaves: Vector[MatchedLeaf],
    shadowed: Vector[MatchedLeaf],
)

/** @param ordinal the leaf's position in the file, see [[FileColumn.Leaf]]
  * @param columnType the type of the table's column
  */
final case class MatchedLeaf(
    ordinal: Int,
    column: ColumnId,
    fileType: LakeType.Primitive,
    columnType: LakeType.Primitive,
)

/** @param allowsMissing whether the file may lack columns of the table
  * @param ignoresExtra whether the file may have columns that the table lacks
  */
final case class MatchRules(allowsMissing: Boolean, ignoresExtra: Boolean)

object SchemaMatch {

  /** @param fromPath columns whose values come from the path, by their name in the path
    *
    * Errors: the first problem, in the order of the file; missing columns after all others.
    */
  def of(
      columns: Vector[Column],
      file: Vector[FileColumn],
      fromPath: Vector[(String, Column)],
      rules: MatchRules,
  ): Either[MatchProblem, SchemaMatch] = {
    val isFromPath = fromPath.map(_._2.id).toSet
    val (hidden, shown) = file.partition { field =>
      Names.find(columns, field.name)(_.name).exists(column => isFromPath(column.id))
    }
    val visible = columns.filterNot(column => isFromPath(column.id))
    val matcher = new SchemaMatcher(rules)
    for {
      _ <- matcher.notNull(visible, shown)
      found <- matcher.level(visible, shown, Vector.empty)
      covered <- matcher.level(fromPath.map(_._2), hidden, Vector.empty, isComplete = false)
    } yield SchemaMatch(
      found.mapping ++ fromPath.map { case (name, column) =>
        MappedColumn(name, column.id, isPartition = true, Vector.empty)
      },
      found.leaves,
      covered.leaves,
    )
  }
}

/** Columns and leaves that were matched on one level. */
private[registration] final case class Matched(
    mapping: Vector[MappedColumn],
    leaves: Vector[MatchedLeaf],
)

/** Matches columns with fields by name, level by level. */
private[registration] final class SchemaMatcher(rules: MatchRules) {
  private[registration] type Result = Either[MatchProblem, Matched]

  /** @param above names of the columns above this level
    * @param isComplete whether the fields must cover all columns
    */
  def level(
      columns: Vector[Column],
      fields: Vector[FileColumn],
      above: Vector[String],
      isComplete: Boolean = true,
  ): Result = {
    val pairs = fields.map(field => field -> Names.find(columns, field.name)(_.name))
    val taken = pairs.flatMap(_._2).map(_.id)
    val missing = columns.filterNot(column => taken.contains(column.id))
    for {
      _ <- twice(columns, taken, above)
      found <- together(pairs.map {
        case (field, Some(column)) => single(column, field, field.name, above :+ column.name)
        case (field, None) => extra(above :+ field.name)
      })
      _ <- missing.headOption
        .filter(_ => isComplete && !rules.allowsMissing)
        .map(column => MatchProblem.Missing(text(above :+ column.name)))
        .toLeft(())
    } yield found
  }

  /** Missing columns must have a value for rows of files that lack them, or accept NULL. */
  def notNull(columns: Vector[Column], fields: Vector[FileColumn]): Either[MatchProblem, Unit] =
    columns
      .find { column =>
        !column.nullsAllowed && column.initialDefault.isEmpty &&
        Names.find(fields, column.name)(_.name).isEmpty
      }
      .filter(_ => rules.allowsMissing)
      .map(column => MatchProblem.MissingNotNull(column.name))
      .toLeft(())

  private def twice(
      columns: Vector[Column],
      taken: Vector[ColumnId],
      above: Vector[String],
  ): Either[MatchProblem, Unit] =
    columns
      .find(column => taken.count(_ == column.id) > 1)
      .map(column => MatchProblem.Ambiguous(text(above :+ column.name)))
      .toLeft(())

  private def extra(path: Vector[String]): Result =
    Either.cond(
      rules.ignoresExtra,
      Matched(Vector.empty, Vector.empty),
      MatchProblem.Extra(text(path)),
    )

  /** @param source the name of the field in the mapping; DuckDB finds the element of a list by the
    *   name of the repeated group
    * @param path names of the column and of its ancestors
    */
  private def single(
      column: Column,
      field: FileColumn,
      source: String,
      path: Vector[String],
  ): Result = {
    val below = (column.dataType, field) match {
      case (wanted: LakeType.Primitive, FileColumn.Leaf(_, ordinal, Some(found), _))
          if RegistrableTypes.accepts(found, wanted) =>
        val leaf = MatchedLeaf(ordinal, column.id, found, wanted)
        Right(Matched(Vector.empty, Vector(leaf)))
      case (_, FileColumn.Leaf(_, _, Some(LakeType.NullType), _)) if readsNull(column) =>
        Right(Matched(Vector.empty, Vector.empty))
      case (LakeType.StructType, FileColumn.StructOf(_, fields, _)) =>
        level(column.children, fields, path)
      case (LakeType.ListType, FileColumn.ListOf(_, element, _, group)) =>
        children(column, Vector(group -> element), path)
      case (LakeType.MapType, FileColumn.MapOf(_, key, value, _)) =>
        children(column, Vector("key" -> key, "value" -> value), path)
      case _ => Left(otherType(column, field, path))
    }
    below.map { matched =>
      if (isLeftOut(column, field)) matched
      else
        matched.copy(mapping =
          Vector(MappedColumn(source, column.id, isPartition = false, matched.mapping))
        )
    }
  }

  /** Whether the column stays out of the mapping, because it is nested and the file has a leaf of
    * NULLs in its place. A column that a mapping lacks is read as NULL.
    */
  private def isLeftOut(column: Column, field: FileColumn): Boolean =
    (column.dataType, field) match {
      case (wanted: LakeType.Primitive, FileColumn.Leaf(_, _, Some(LakeType.NullType), _)) =>
        !RegistrableTypes.accepts(LakeType.NullType, wanted)
      case (_: LakeType.Nested, FileColumn.Leaf(_, _, Some(LakeType.NullType), _)) => true
      case _ => false
    }

  private def readsNull(column: Column): Boolean =
    column.nullsAllowed && column.initialDefault.isEmpty

  /** Children of lists and maps are matched by their place, and none of them can be left out. */
  private def children(
      column: Column,
      fields: Vector[(String, FileColumn)],
      path: Vector[String],
  ): Result =
    together(column.children.zip(fields).map { case (child, (source, field)) =>
      if (isLeftOut(child, field)) Left(otherType(child, field, path :+ source))
      else single(child, field, source, path :+ source)
    })

  private def together(parts: Vector[Result]): Result =
    parts.foldLeft[Result](Right(Matched(Vector.empty, Vector.empty))) { (all, part) =>
      for {
        before <- all
        next <- part
      } yield Matched(before.mapping ++ next.mapping, before.leaves ++ next.leaves)
    }

  private def otherType(column: Column, field: FileColumn, path: Vector[String]): MatchProblem =
    MatchProblem.OtherType(text(path), TypeText.print(column.dataType), typeOf(field))

  private def typeOf(field: FileColumn): String =
    field match {
      case FileColumn.Leaf(_, _, Some(LakeType.NullType), _) => "the NULL type"
      case FileColumn.Leaf(_, _, Some(found), _) => TypeText.print(found)
      case FileColumn.Leaf(_, _, None, _) => "a type that no column has"
      case _: FileColumn.StructOf => TypeText.print(LakeType.StructType)
      case _: FileColumn.ListOf => TypeText.print(LakeType.ListType)
      case _: FileColumn.MapOf => TypeText.print(LakeType.MapType)
    }

  private def text(path: Vector[String]): String = path.mkString(".")
}
