package ducklake.spark.session

import ducklake.catalog.change.operation.ApplicationWrite
import ducklake.catalog.change.operation.CommitInfo
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.spark.config.ForeignWords
import ducklake.spark.config.StatementOptions
import ducklake.spark.sparkapi.sql.SessionSettings
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters.MapHasAsJava

/** What a statement says about its commit, besides its changes.
  *
  * @param texts stored with the snapshot
  * @param write the number under which the write may be repeated
  */
final case class StatementInfo(texts: CommitInfo, write: Option[ApplicationWrite])

object StatementInfo {
  val none: StatementInfo = StatementInfo(CommitInfo.none, None)

  /** The options of a write: `commit-author`, `commit-message`, `commit-extra-info`, and
    * `txn-app-id` with `txn-version`, or Delta's names of these two.
    *
    * Errors: InvalidSetting for a number that cannot be used.
    */
  def of(options: Map[String, String]): StatementInfo = {
    val words = new CaseInsensitiveStringMap(options.asJava)
    val own = ForeignWords.translated(words, ForeignWords.ofWrites)
    def option(name: String) = name -> Option(own.get(name))
    StatementInfo(
      CommitInfo(
        option("commit-author")._2,
        option("commit-message")._2,
        option("commit-extra-info")._2,
      ),
      write(option(StatementOptions.TxnAppId), option(StatementOptions.TxnVersion)),
    )
  }

  /** What was set for all statements of the session, or of the thread: the settings
    * `spark.ducklake.commit.author`, `….message` and `….extra-info`, and a [[NumberTag]].
    */
  def ofSession: StatementInfo = {
    def setting(part: String) = SessionSettings.text(s"spark.ducklake.commit.$part")
    StatementInfo(
      CommitInfo(setting("author"), setting("message"), setting("extra-info")),
      SessionSettings.tags().flatMap(NumberTag.read).headOption,
    )
  }

  /** The number that the arguments `app_id` and `version` of a call make. Errors: InvalidSetting. */
  def numbered(application: Option[String], version: Option[Long]): Option[ApplicationWrite] =
    write("app_id" -> application, "version" -> version.map(_.toString))

  private type Given = (String, Option[String])

  private def write(application: Given, version: Given): Option[ApplicationWrite] =
    (application._2, version._2) match {
      case (None, None) => None
      case (Some(name), Some(number)) =>
        if (name.isBlank) refuse(application._1, "is blank", "Give the application a name.")
        Some(ApplicationWrite(name, numberOf(version._1, number)))
      case (Some(_), None) => refuse(application._1, s"is given without `${version._1}`", Both)
      case (None, Some(_)) => refuse(version._1, s"is given without `${application._1}`", Both)
    }

  private def numberOf(key: String, text: String): Long =
    text.toLongOption.filter(_ >= 0).getOrElse {
      refuse(key, s"is `$text`", "It is a whole number from 0 on, which grows with each write.")
    }

  private val Both = "The two belong together: give both, or none."

  private def refuse(key: String, why: String, hint: String): Nothing =
    throw new LakeException(LakeError.InvalidSetting(key, why, hint))
}
