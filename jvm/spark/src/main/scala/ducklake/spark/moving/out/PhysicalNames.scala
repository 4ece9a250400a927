package ducklake.spark.moving.out

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText

import java.util.Locale

/** The names under which data files have columns. */
private[out] final class PhysicalNames(shapes: Vector[FileShape]) {

  /** The one name of a column in all files; a name that no file has when none has the column. Left:
    * the reason why there is no such name.
    */
  def of(column: ExportedColumn): Either[String, String] = {
    val names = shapes.flatMap(_.fields.filter(column.isField)).map(_.name).distinct
    val others = shapes.flatMap(_.fields.filter(column.isBeside)).filterNot(column.isField)
    val taken = others.map(field => folded(field.name)).toSet
    names match {
      case Vector() => Right(free(column, taken))
      case Vector(one) if !taken(folded(one)) => Right(one)
      case Vector(one) =>
        Left(s"column ${column.text}: another column has the name `$one` in files")
      case several =>
        Left(s"column ${column.text} has several names in files: ${several.sorted.mkString(", ")}")
    }
  }

  private def free(column: ExportedColumn, taken: String => Boolean): String =
    Iterator
      .iterate(column.column.name)(_ + "_")
      .find(name => !taken(folded(name)))
      .getOrElse(column.column.name)

  private def folded(name: String): String = name.toLowerCase(Locale.ROOT)

  /** Why readers that know field ids cannot read all files. */
  def withoutIds: Option[String] = {
    val files = shapes.filter(_.fields.exists(_.id.isEmpty)).map(_.files).sum
    Option.when(files > 0)(s"$files data files have fields without field ids")
  }

  /** Why readers that know no defaults of older files cannot read the column. */
  def missing(column: ExportedColumn): Option[String] =
    column.column.initialDefault.map(_ => filesWithout(column)).filter(_ > 0).map { files =>
      s"column ${column.text} has a default for the rows of $files older data files; rewrite them"
    }

  /** Why readers cannot read the values that files have for a column without parts.
    *
    * @param fits whether readers take values of this type for values of the column
    */
  def otherType(column: ExportedColumn)(fits: LakeType.Primitive => Boolean): Option[String] =
    types(column).find(!_.exists(fits)).map { stored =>
      val other = stored.fold("another type")(found => s"the type ${TypeText.print(found)}")
      s"column ${column.text} has $other in files; rewrite them"
    }

  /** The number of files that lack the column, though they have the column around it. */
  private def filesWithout(column: ExportedColumn): Int =
    shapes
      .filter { shape =>
        def hasParent = column.parent.forall { parent =>
          shape.fields.exists(_.id.exists(_.toLong == parent.value))
        }
        !shape.fields.exists(column.isField) && hasParent
      }
      .map(_.files)
      .sum

  /** The types that a column without parts has in files; None inside: one that we do not read. */
  def types(column: ExportedColumn): Vector[Option[LakeType.Primitive]] =
    shapes.flatMap(_.fields.filter(column.isField)).map(_.leaf).distinct
}
