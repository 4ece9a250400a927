package ducklake.spark.moving

import ducklake.catalog.change.operation.CommitInfo

import java.time.Instant

/** The versions of a source.
  *
  * @param versions oldest first, with rising times; the last one is the current version
  * @param begins why there are no older ones; None when the first one made the table
  * @param left versions in between that cannot have a snapshot, each with the reason
  */
private[moving] final case class SourceHistory(
    versions: Vector[SourceVersion],
    begins: Option[String],
    left: Vector[String],
)

private[moving] object SourceHistory {

  /** @param found in the order in which they became current
    * @param begins as in [[SourceHistory]]
    */
  def of(found: Vector[SourceVersion], begins: Option[String]): SourceHistory = {
    val (kept, left) = found.foldRight((List.empty[SourceVersion], List.empty[String])) {
      case (version, (later, left)) =>
        val hider = for {
          time <- version.time
          next <- later.headOption
          nextTime <- next.time if !time.isBefore(nextTime)
        } yield s"${version.text}: ${next.text} came later, but its time is not later"
        hider.fold((version :: later, left))(why => (later, why :: left))
    }
    SourceHistory(kept.toVector, begins, left.toVector)
  }
}

/** A version of a source.
  *
  * @param version by which [[MovableSource.at]] reads it
  * @param text for messages, such as `version 3`
  * @param time when it became the current one; None when the source does not say it, as only the
  *   current version may
  * @param message what made it, in the words of the source
  */
private[moving] final case class SourceVersion(
    version: String,
    text: String,
    time: Option[Instant],
    message: Option[String],
) {
  def info: CommitInfo = CommitInfo(None, message, Some(text))
}
