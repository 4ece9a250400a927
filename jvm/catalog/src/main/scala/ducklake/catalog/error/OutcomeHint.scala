package ducklake.catalog.error

import ducklake.catalog.error.CommitSubject.Statement

/** What to do when it is not known whether something was committed. */
sealed abstract class OutcomeHint extends Product with Serializable {
  def text: String

  /** The same advice about another subject. */
  def about(subject: CommitSubject): OutcomeHint
}

object OutcomeHint {

  /** What was attempted may be done twice. */
  case object RunAgain extends OutcomeHint {
    def text: String = "Run it again: doing it twice does no harm."
    def about(subject: CommitSubject): OutcomeHint = this
  }

  /** The lake has not answered whether it has the commit. */
  final case class NotAnswered(subject: CommitSubject = Statement) extends OutcomeHint {
    def text: String = s"The lake could not be asked since, ${kept(subject)}"
    def about(other: CommitSubject): OutcomeHint = copy(other)
  }

  /** The lake has later snapshots, but not that of the commit. */
  final case class Overtaken(subject: CommitSubject = Statement) extends OutcomeHint {
    def text: String =
      s"The lake has later snapshots, so that this one may have expired since, ${kept(subject)}"
    def about(other: CommitSubject): OutcomeHint = copy(other)
  }

  final case class Interrupted(subject: CommitSubject = Statement) extends OutcomeHint {
    def text: String = s"The $subject was interrupted before the lake was asked, ${kept(subject)}"
    def about(other: CommitSubject): OutcomeHint = copy(other)
  }

  private def kept(subject: CommitSubject): String =
    "and the files that were written are kept. Look at the lake's snapshots before you run the " +
      s"$subject again."
}
