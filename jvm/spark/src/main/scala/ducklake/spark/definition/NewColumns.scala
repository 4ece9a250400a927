package ducklake.spark.definition

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Column
import ducklake.catalog.types.Names
import ducklake.spark.errors.SparkErrors
import ducklake.spark.types.LakeTypes
import ducklake.spark.types.SparkTypes
import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.connector.catalog.TableChange

/** Converts the columns of Spark's statements to columns of a lake, which have no ids yet. */
final class NewColumns(rule: SparkTypes.TimeRule) {

  private val defaults = new ColumnDefaults(rule)

  /** The columns of a new table.
    *
    * @param chosen types by column name, as the properties `ducklake.type.<column>` set them
    *
    * Errors: UnstorableType, InvalidChange, and InvalidOption for a chosen type without its column.
    */
  def ofTable(columns: Seq[catalog.Column], chosen: Map[String, String]): Vector[Column] = {
    val byName = chosen.map { case (name, text) => Names.folded(name) -> text }
    val known = columns.map(column => Names.folded(column.name)).toSet
    byName.find { case (name, _) => !known(name) }.foreach { case (name, text) =>
      SparkErrors.raise(
        LakeError.InvalidOption(
          RequestedProperties.TypePrefix + name,
          text,
          "the table has no such column",
        )
      )
    }
    columns.toVector.map { given =>
      val bare = byName.get(Names.folded(given.name)) match {
        case Some(text) => LakeTypes.chosen(given.name, given.dataType, text, rule)
        case None => LakeTypes.column(given.name, given.dataType)
      }
      val column =
        bare.copy(nullsAllowed = given.nullable, comment = Option(given.comment))
      Option(given.defaultValue).fold(column)(d => defaults.ofNewTable(column, d.getSql))
    }
  }

  /** The column of ADD COLUMN. */
  def ofChange(change: TableChange.AddColumn): Column = {
    val bare = LakeTypes.column(change.fieldNames.last, change.dataType)
    val isPart = change.fieldNames.length > 1
    val column =
      bare.copy(nullsAllowed = change.isNullable || isPart, comment = Option(change.comment))
    Option(change.defaultValue).fold(column)(d => defaults.ofAddedColumn(column, d.getSql))
  }
}
