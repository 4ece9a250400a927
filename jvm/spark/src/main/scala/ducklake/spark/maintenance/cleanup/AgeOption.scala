package ducklake.spark.maintenance.cleanup

import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionRules
import ducklake.catalog.option.OptionScope
import ducklake.catalog.types.text.AgeText
import ducklake.spark.config.StoredOption
import ducklake.spark.session.SessionLake

import java.time.Instant

/** The options of a lake with the age from which on something is removed, or counts no more. */
private[spark] object AgeOption {
  val Expire: OptionRules.Rule = OptionRules.ExpireOlderThan
  val Delete: OptionRules.Rule = OptionRules.DeleteOlderThan
  val Reader: OptionRules.Rule = OptionRules.ReaderRetention

  /** The time that lies the age before now; None when the option has no value. Errors:
    * InvalidSetting for a stored text that is not an interval.
    */
  def limit(session: SessionLake, option: OptionRules.Rule): Option[Instant] = {
    val stored = session
      .options()
      .find(stored => stored.key == option.key && stored.scope == OptionScope.Global)
      .orElse(option.default.map(LakeOption(option.key, _, OptionScope.Global)))
    stored.filter(_.value.nonEmpty).map { age =>
      AgeText.before(session.lake.clock(), age.value).getOrElse {
        throw StoredOption.refusal(age, "it takes an interval such as `2 days`")
      }
    }
  }
}
