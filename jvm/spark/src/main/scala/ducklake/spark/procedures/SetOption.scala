package ducklake.spark.procedures

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.OptionRules
import ducklake.catalog.change.OptionRules.OptionLevel
import ducklake.catalog.read.OptionScope
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
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
    val base = session.writable()
    val (scope, level) = scopeOf(base, arguments)
    val option = arguments.required(0, "option")
    val value = arguments.required(1, "value")
    val setting = OptionRules.stored(option, value, level).fold(SparkErrors.raise, identity)
    session.lake.setOption(setting.key, Some(setting.value), scope)
  }

  private def scopeOf(base: LakeSnapshot, arguments: Arguments): (OptionScope, OptionLevel) =
    (arguments.text(3), arguments.text(2)) match {
      case (Some(_), _) =>
        val name = arguments.table(3, 2)
        val table = name.find(base).getOrElse(throw new NoSuchTableException(name.identifier))
        (OptionScope.OfTable(table.id), OptionLevel.Table)
      case (None, Some(schema)) =>
        val found = Namespaces
          .ofText(base, schema)
          .getOrElse(throw new NoSuchNamespaceException(Array(schema)))
        (OptionScope.OfSchema(found.id), OptionLevel.Schema)
      case (None, None) => (OptionScope.Global, OptionLevel.Lake)
    }
}
