package ducklake.catalog.option

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

/** A version of a table of another format.
  *
  * @param format such as `iceberg`
  * @param version as the format names it, without spaces
  * @param table what distinguishes the table from all others of its format
  */
final case class MoveOrigin(format: String, version: String, table: String)

/** The record of a table whose files are those of a table of another format: what it was when it
  * moved last. It is stored as an option of the table, which DuckDB lists and otherwise ignores.
  *
  * Source: ours, decision 31.
  *
  * @param at the snapshot of the move
  */
final case class MoveRecord(origin: MoveOrigin, at: SnapshotId) {

  /** The value of the option. */
  def value: String = s"${at.value} ${origin.format} ${origin.version} ${origin.table}"
}

object MoveRecord {

  /** The key of the option. */
  val Key = "spark_moved_from"

  /** None for a table that did not move. Errors: CorruptCatalog when the value is no record. */
  def of(options: Vector[LakeOption], table: TableId): Option[MoveRecord] =
    options
      .find(option => option.key == Key && option.scope == OptionScope.OfTable(table))
      .map(option => parsed(option.value).getOrElse(throw corrupt(option)))

  private def parsed(value: String): Option[MoveRecord] =
    value.split(" ", 4) match {
      case Array(at, format, version, table) =>
        at.toLongOption.map(id => MoveRecord(MoveOrigin(format, version, table), SnapshotId(id)))
      case _ => None
    }

  private def corrupt(option: LakeOption): LakeException =
    new LakeException(
      LakeError.CorruptCatalog(s"option `${option.key}`", s"its value is `${option.value}`")
    )
}
