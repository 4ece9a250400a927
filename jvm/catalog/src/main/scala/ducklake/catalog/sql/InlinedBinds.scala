package ducklake.catalog.sql

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.inlined.StoredValue

import java.nio.charset.StandardCharsets

import scala.collection.immutable.ArraySeq

/** Bind values for inserts into inlined tables. */
private[sql] object InlinedBinds {

  /** The value for SQLite and DuckDB, unchanged. None for the forms that are only read, never
    * written.
    */
  def plain(stored: StoredValue): Option[Bind] =
    stored match {
      case StoredValue.Null => Some(Bind.Absent)
      case StoredValue.Whole(value) => Some(Bind.Number(value))
      case StoredValue.Text(value) => Some(Bind.Text(value))
      case StoredValue.Bytes(value) => Some(Bind.Bytes(value))
      case StoredValue.Real(_) | StoredValue.Decimal(_) | StoredValue.Native(_) => None
    }

  /** The value for PostgreSQL, which does not cast numbers to booleans, and whose text type cannot
    * hold NUL.
    */
  def postgres(stored: StoredValue, lakeType: LakeType): Option[Bind] =
    (stored, lakeType) match {
      case (StoredValue.Whole(value), LakeType.Bool) => Some(Bind.Flag(value == 1))
      case (StoredValue.Text(value), LakeType.Varchar | LakeType.Json) =>
        Some(Bind.Bytes(utf8(value)))
      case _ => plain(stored)
    }

  private def utf8(text: String): ArraySeq[Byte] =
    ArraySeq.unsafeWrapArray(text.getBytes(StandardCharsets.UTF_8))
}
