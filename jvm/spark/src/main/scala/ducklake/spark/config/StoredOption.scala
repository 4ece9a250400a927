package ducklake.spark.config

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionRules
import ducklake.catalog.option.OptionScope

/** Values that are stored as options of a lake. Another engine may store a value that we cannot
  * obey.
  */
object StoredOption {

  /** The value in its usual form. Errors: InvalidSetting. */
  def checked(rule: OptionRules.Rule, option: LakeOption): String =
    rule.check(option.value).fold(why => throw refusal(option, why), identity)

  /** The error for a stored value.
    *
    * @param why the values that the option takes
    */
  def refusal(option: LakeOption, why: String): LakeException =
    new LakeException(
      LakeError.InvalidSetting(
        option.key,
        s"is `${option.value}` among the options of ${holder(option.scope)}",
        s"${why.capitalize}. Set it anew with `set_option`.",
      )
    )

  private def holder(scope: OptionScope): String = scope match {
    case OptionScope.Global => "the lake"
    case OptionScope.OfSchema(_) => "the schema"
    case OptionScope.OfTable(_) => "the table"
  }
}
