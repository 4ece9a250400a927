package ducklake.catalog.option

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.SnapshotId

/** A snapshot with a name, which no expiry of ours removes. The name is stored as an option of the
  * lake, which DuckDB lists and otherwise ignores.
  *
  * Source: ours, decision 13.
  */
final case class NamedSnapshot(name: String, id: SnapshotId) {
  def option: OptionChange = OptionChange(NamedSnapshot.key(name), Some(id.value.toString))
}

object NamedSnapshot {

  /** The prefix of the keys of the options. */
  val KeyPrefix = "spark_kept_snapshot."

  def key(name: String): String = KeyPrefix + name

  /** All of them, ordered by name. Errors: CorruptCatalog when a value is no snapshot id. */
  def of(options: Vector[LakeOption]): Vector[NamedSnapshot] =
    options
      .filter(option => option.scope == OptionScope.Global && option.key.startsWith(KeyPrefix))
      .map(option => NamedSnapshot(option.key.drop(KeyPrefix.length), id(option)))
      .sortBy(_.name)

  private def id(option: LakeOption): SnapshotId =
    option.value.toLongOption.map(SnapshotId(_)).getOrElse {
      throw new LakeException(
        LakeError.CorruptCatalog(s"option `${option.key}`", s"its value is `${option.value}`")
      )
    }

  /** Why a text cannot be a name; None when it can. A whole number is the id of a snapshot wherever
    * a name may stand.
    */
  def refusal(name: String): Option[String] =
    if (name.isBlank) Some("is blank")
    else if (name.trim.toLongOption.isDefined)
      Some(s"is a whole number, which is a snapshot's id: $name")
    else None
}
