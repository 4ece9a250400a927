package ducklake.catalog.option

import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Names
import ducklake.catalog.types.ShreddedType
import ducklake.catalog.types.expression.ShreddedTypeSql

/** The columns that the option `parquet_shredding` gives to the values of variants.
  *
  * @param columns by the folded name of the variant's column
  */
final case class VariantShredding(columns: Map[String, ShreddedType]) {

  /** The columns for the values of a column at the root of a table; None: the writer chooses. */
  def of(column: String): Option[ShreddedType] = columns.get(Names.folded(column))
}

object VariantShredding {

  val Empty: VariantShredding = VariantShredding(Map.empty)

  /** @param text
    *   a line `column=type` for each variant; with the type VARIANT the writer chooses, and with
    *   NULL the values have no columns
    *
    * Left: why the text is refused.
    *
    * Source: format 14.10.
    */
  def of(text: String): Either[String, VariantShredding] = {
    val lines = text.split('\n').toVector.map(_.stripSuffix("\r")).filterNot(_.isBlank)
    val parsed = lines.map(line)
    parsed
      .collectFirst { case Left(why) => Left(why) }
      .getOrElse(distinct(parsed.flatMap(_.toSeq)))
  }

  /** As [[of]]. Left also for a column that is no variant at the root of the table. */
  def of(text: String, table: TableDefinition): Either[String, VariantShredding] = {
    def isVariant(name: String): Boolean =
      table.columns.exists(c => c.dataType == LakeType.Variant && Names.isSame(c.name, name))
    of(text).flatMap { known =>
      known.columns.keys.find(!isVariant(_)) match {
        case Some(name) => Left(s"the table has no column `$name` of type VARIANT")
        case None => Right(known)
      }
    }
  }

  private def line(text: String): Either[String, (String, Option[ShreddedType])] =
    text.indexOf('=') match {
      case at if at > 0 =>
        val (column, shredded) = (text.substring(0, at), text.substring(at + 1))
        val isOpen = shredded.trim.equalsIgnoreCase("VARIANT")
        ShreddedTypeSql
          .parse(shredded)
          .map(known => Names.folded(column) -> Option.when(!isOpen)(known))
          .left
          .map(why => s"`$shredded` gives no columns to the variant `$column`: $why")
      case _ => Left(s"it takes lines of the form column=type, and `$text` is none")
    }

  private def distinct(
      columns: Vector[(String, Option[ShreddedType])]
  ): Either[String, VariantShredding] = {
    val all = columns.toMap
    val stated = all.collect { case (column, Some(shredded)) => column -> shredded }
    Either.cond(all.size == columns.size, VariantShredding(stated), "it names a column twice")
  }
}
