package ducklake.catalog.error

/** What is committed, in the words of messages. */
sealed abstract class CommitSubject(word: String) extends Product with Serializable {
  final override def toString: String = word
}

object CommitSubject {
  case object Statement extends CommitSubject("statement")

  /** Several statements that are committed together. */
  case object Transaction extends CommitSubject("transaction")
}
