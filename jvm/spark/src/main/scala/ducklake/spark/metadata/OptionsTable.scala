package ducklake.spark.metadata

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionRules
import ducklake.catalog.option.OptionScope
import ducklake.spark.config.IsolationLevel
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType

/** Lake options as rows. Source: jvm/docs/reading.md, "Tables about a table"; format 8.5. */
object OptionsTable {

  private val known = OptionRules.all ++ OptionRules.facts

  private val storedSchema: StructType = new StructType()
    .add("option_name", StringType)
    .add("description", StringType)
    .add("value", StringType)
    .add("scope", StringType)
    .add("scope_entry", StringType)

  private val inForceSchema: StructType = new StructType()
    .add("option_name", StringType)
    .add("value", StringType)
    .add("scope", StringType)

  /** The stored options, as DuckDB's `options` lists them. */
  def stored(session: SessionLake, snapshot: LakeSnapshot): LocalResult =
    new LocalResult(
      storedSchema,
      () =>
        session.options().sortBy(o => (o.key, o.scope.toString)).map { option =>
          val description = known.find(_.key == option.key).map(_.sentence)
          val (scope, entry) = described(snapshot, option.scope)
          Vector[Any](option.key, description, option.value, scope, entry)
        },
      hasPast = false,
    )

  /** One row for each known option, with the value in force for the table and the scope of the
    * value.
    */
  def inForce(session: SessionLake, table: LakeTable): LocalResult =
    new LocalResult(
      inForceSchema,
      () => {
        val options = session.options()
        known.map { option =>
          val (value, scope) =
            valueOf(session, table, options, option)
          Vector[Any](option.key, value, scope)
        }
      },
      hasPast = false,
    )

  /** The value in force and its scope. The value is None when the option is not stored and has no
    * default.
    */
  private def valueOf(
      session: SessionLake,
      table: LakeTable,
      stored: Vector[LakeOption],
      option: OptionRules.Rule,
  ): (Option[String], String) = {
    def at(scope: OptionScope, name: String) =
      stored.find(o => o.key == option.key && o.scope == scope).map(o => (Option(o.value), name))
    val key =
      option match {
        case OptionRules.DataInliningRowLimit => session.config.inliningRowLimit.map(_.toString)
        case OptionRules.IsolationLevel => session.config.isolation.map(IsolationLevel.name)
        case _ => None
      }
    at(OptionScope.OfTable(table.id), "TABLE")
      .orElse(at(OptionScope.OfSchema(table.schema.id), "SCHEMA"))
      .orElse(at(OptionScope.Global, "GLOBAL"))
      .orElse(key.map(value => (Option(value), "CATALOG KEY")))
      .getOrElse((LakeOption.default(stored, option), "DEFAULT"))
  }

  private def described(snapshot: LakeSnapshot, scope: OptionScope): (String, Option[String]) =
    scope match {
      case OptionScope.Global => ("GLOBAL", None)
      case OptionScope.OfSchema(id) =>
        ("SCHEMA", snapshot.schemas().find(_.id == id).map(_.qualifiedName))
      case OptionScope.OfTable(id) => ("TABLE", snapshot.tableName(id))
    }
}
