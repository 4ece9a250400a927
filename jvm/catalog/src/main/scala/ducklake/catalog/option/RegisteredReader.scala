package ducklake.catalog.option

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.time.DateTimeException
import java.time.Instant

/** How far a reader has read the changes of a table: a stream, or a consumer outside of Spark. No
  * expiry of ours removes the snapshot or a later one while the registration is young enough. It is
  * stored as an option of the table, which DuckDB lists and otherwise ignores.
  *
  * Source: ours, decision 13.
  *
  * @param read the last snapshot that was read
  * @param at the time of the registration
  */
final case class RegisteredReader(name: String, table: TableId, read: SnapshotId, at: Instant) {
  def key: String = RegisteredReader.key(name)

  /** The value of the option. */
  def value: String = s"${read.value} $at"
}

object RegisteredReader {

  /** The prefix of the keys of the options. */
  val KeyPrefix = "spark_reader."

  def key(name: String): String = KeyPrefix + name

  /** Whether an option of a table is a registered reader. */
  def isKey(key: String): Boolean = key.startsWith(KeyPrefix)

  /** All of them, ordered by name and table. Errors: CorruptCatalog when a value is no position. */
  def of(options: Vector[LakeOption]): Vector[RegisteredReader] =
    options
      .collect {
        case option @ LakeOption(key, value, OptionScope.OfTable(table)) if isKey(key) =>
          parsed(key.drop(KeyPrefix.length), table, value).getOrElse(throw corrupt(option))
      }
      .sortBy(reader => (reader.name, reader.table.value))

  private def parsed(name: String, table: TableId, value: String): Option[RegisteredReader] =
    value.split(" ", 2) match {
      case Array(read, at) =>
        read.toLongOption.zip(instant(at)).map { case (id, time) =>
          RegisteredReader(name, table, SnapshotId(id), time)
        }
      case _ => None
    }

  private def instant(text: String): Option[Instant] =
    try Some(Instant.parse(text))
    catch { case _: DateTimeException => None }

  private def corrupt(option: LakeOption): LakeException =
    new LakeException(
      LakeError.CorruptCatalog(s"option `${option.key}`", s"its value is `${option.value}`")
    )
}
