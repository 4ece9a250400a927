package ducklake.catalog.commit.check

import ducklake.catalog.change.operation.CommitInfo
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.option.LakeOption
import ducklake.catalog.option.OptionRules
import ducklake.catalog.option.OptionScope

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
