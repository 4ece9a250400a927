package ducklake.spark.table

import ducklake.catalog.change.operation.TableRecord
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.NullOrder
import ducklake.catalog.model.SortDirection
import ducklake.catalog.option.OptionScope
import ducklake.spark.definition.RequestedProperties
import ducklake.spark.session.SessionLake
import ducklake.spark.types.ChosenTypes
import ducklake.spark.types.TextLengths

/** The properties that SHOW TBLPROPERTIES lists: tags, lake options of the table, and facts for
  * which SQL has no other syntax.
  */
object TableProperties {

  def of(session: SessionLake, table: LakeTable): Map[String, String] = {
    val options = session.options().collect {
      case option
          if option.scope == OptionScope.OfTable(table.id) && !TableRecord.isKey(option.key) =>
        option.key -> option.value
    }
    Map("provider" -> "ducklake", "location" -> table.directory, "is_managed_location" -> "true") ++
      chosenTypes(table) ++ sortOrder(table) ++ options ++ (table.tags - TextLengths.Tag)
  }

  private def sortOrder(table: LakeTable): Option[(String, String)] =
    table.sort.map { sort =>
      val keys = sort.keys.map { key =>
        val direction = key.direction match {
          case SortDirection.Ascending => "ASC"
          case SortDirection.Descending => "DESC"
        }
        val nulls = key.nulls match {
          case NullOrder.First => "NULLS FIRST"
          case NullOrder.Last => "NULLS LAST"
        }
        s"${key.expression} $direction $nulls"
      }
      RequestedProperties.SortedBy -> keys.mkString(", ")
    }

  private def chosenTypes(table: LakeTable): Vector[(String, String)] =
    table.columns.flatMap { column =>
      ChosenTypes.of(column).map(text => RequestedProperties.TypePrefix + column.name -> text)
    }
}
