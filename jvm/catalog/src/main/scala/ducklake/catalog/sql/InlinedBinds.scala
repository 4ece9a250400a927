package ducklake.catalog.sql

import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Stored

import java.nio.charset.StandardCharsets

import scala.collection.immutable.ArraySeq

/** What is bound to put a value into an inlined table. */
private[sql] object InlinedBinds {

  /** As it is: SQLite and DuckDB. None for shapes that nothing is written in. */
  def plain(stored: Stored): Option[Bind] =
    stored match {
      case Stored.Null => Some(Bind.Absent)
      case Stored.Whole(value) => Some(Bind.Number(value))
      case Stored.Text(value) => Some(Bind.Text(value))
      case Stored.Bytes(value) => Some(Bind.Bytes(value))
      case Stored.Real(_) | Stored.Decimal(_) | Stored.Native(_) => None
    }

  /** PostgreSQL casts no number to a boolean, and its text cannot hold NUL. */
  def postgres(stored: Stored, lakeType: LakeType): Option[Bind] =
    (stored, lakeType) match {
      case (Stored.Whole(value), LakeType.Bool) => Some(Bind.Flag(value == 1))
      case (Stored.Text(value), LakeType.Varchar | LakeType.Json) => Some(Bind.Bytes(utf8(value)))
      case _ => plain(stored)
    }

  private def utf8(text: String): ArraySeq[Byte] =
    ArraySeq.unsafeWrapArray(text.getBytes(StandardCharsets.UTF_8))
}
