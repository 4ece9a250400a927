package ducklake.catalog.commit

import ducklake.catalog.change.CommitInfo
import ducklake.catalog.change.OptionRules
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.read.LakeOption
import ducklake.catalog.read.OptionScope

/** Checks the option that requires a message with every commit. */
private[commit] object CommitMessageCheck {

  /** Errors: CommitMessageRequired. */
  def check(options: Vector[LakeOption], info: CommitInfo): Unit = {
    val isRequired = options.exists { option =>
      option.key == OptionRules.RequireCommitMessage.key && option.scope == OptionScope.Global &&
      option.value.equalsIgnoreCase("true")
    }
    if (isRequired && info.message.forall(_.isEmpty))
      throw new LakeException(LakeError.CommitMessageRequired)
  }
}
