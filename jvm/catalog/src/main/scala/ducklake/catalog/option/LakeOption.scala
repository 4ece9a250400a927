package ducklake.catalog.option

import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

/** A row of `ducklake_metadata`. */
final case class LakeOption(key: String, value: String, scope: OptionScope)

object LakeOption {

  /** The options without rows that a later row replaces. Two DuckDB sessions that set an option at
    * once leave two rows. DuckDB takes the value of the last row that it reads.
    *
    * Source: DuckDB 1.5.5, observed, interop/test_options.
    */
  def withoutReplaced(stored: Vector[LakeOption]): Vector[LakeOption] =
    stored.reverse.distinctBy(option => (option.key, option.scope)).reverse

  /** The option in force for a table, or for new tables of a schema: the option of the table, else
    * of the schema, else of the lake.
    */
  def inForce(
      stored: Vector[LakeOption],
      key: String,
      schema: SchemaId,
      table: Option[TableId],
  ): Option[LakeOption] = {
    val scopes = table.map(OptionScope.OfTable(_)).toVector ++
      Vector(OptionScope.OfSchema(schema), OptionScope.Global)
    val ofKey = stored.filter(_.key == key)
    scopes.flatMap(scope => ofKey.find(_.scope == scope)).headOption
  }

  /** The value of an option that is not stored. Folders would show values of encrypted files, so
    * encrypted lakes have none, as in DuckDB.
    */
  def default(stored: Vector[LakeOption], rule: OptionRules.Rule): Option[String] =
    if (rule == OptionRules.HiveFilePattern && isEncrypted(stored)) Some("false")
    else rule.default

  /** Whether the files of the lake with these options are encrypted. */
  def isEncrypted(stored: Vector[LakeOption]): Boolean =
    stored.exists { option =>
      option.key == OptionRules.Encrypted && option.value.equalsIgnoreCase("true")
    }
}

/** The object that an option is stored for. */
sealed trait OptionScope

object OptionScope {
  case object Global extends OptionScope
  final case class OfSchema(id: SchemaId) extends OptionScope
  final case class OfTable(id: TableId) extends OptionScope
}
