package ducklake.spark.procedures

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.option.OptionChange
import ducklake.catalog.option.OptionRules
import ducklake.catalog.option.OptionRules.OptionLevel
import ducklake.catalog.option.OptionScope
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** Stores an option of the lake, of a schema or of a table. It creates no snapshot. */
final class SetOption(session: SessionLake)
    extends LakeChange("set_option", "Set an option of the lake, of a schema or of a table") {

  override def parameters(): Array[ProcedureParameter] = Array(
    Arguments.required("option"),
    Arguments.required("value"),
    Arguments.optional("schema"),
    Arguments.optional("table_name"),
  )

  override def run(arguments: Arguments): Unit = {
    val base = session.base()
    val option = arguments.required(0, "option")
    val value = arguments.required(1, "value")
    val (scope, checked) = (arguments.text(3), arguments.text(2)) match {
      case (Some(_), _) =>
        val table = tableOf(base, arguments)
        val definition = TableDefinition.of(table)
        (OptionScope.OfTable(table.id), OptionRules.ofTable(option, value, definition))
      case (None, Some(schema)) =>
        val scope = OptionScope.OfSchema(schemaOf(base, schema).id)
        (scope, OptionRules.stored(option, value, OptionLevel.Schema))
      case (None, None) =>
        (OptionScope.Global, OptionRules.stored(option, value, OptionLevel.Lake))
    }
    val setting = checked.fold(SparkErrors.raise, identity)
    val change = OptionChange(setting.key, Some(setting.value))
    session.setOptions(base, Operation.SetOptions(scope, Vector(change)))
  }

  private def tableOf(base: LakeSnapshot, arguments: Arguments): LakeTable = {
    val name = arguments.table(3, 2)
    name.find(base).getOrElse(throw name.missing(session.name))
  }

  private def schemaOf(base: LakeSnapshot, name: String): LakeSchema =
    Namespaces.ofText(base, name).getOrElse(throw new NoSuchNamespaceException(Array(name)))
}
