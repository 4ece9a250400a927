package ducklake.spark.maintenance

import ducklake.catalog.model.LakeTable
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionRules
import ducklake.spark.session.SessionLake

/** The option `auto_compact`: a table with the value false is not flushed, merged or rewritten,
  * also when the call names it.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_merge_files.
  */
final class AutoCompact private (options: Vector[LakeOption]) {

  def takes(table: LakeTable): Boolean =
    !LakeOption
      .inForce(options, OptionRules.AutoCompact.key, table.schema.id, Some(table.id))
      .map(_.value)
      .exists(_.equalsIgnoreCase("false"))
}

object AutoCompact {
  def of(lake: SessionLake): AutoCompact = new AutoCompact(lake.options())
}
