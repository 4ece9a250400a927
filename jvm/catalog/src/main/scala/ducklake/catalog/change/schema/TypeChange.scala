package ducklake.catalog.change.schema

import ducklake.catalog.model.PartitionKey
import ducklake.catalog.partition.Transform
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText

/** Which type changes of a column are legal. The new type must hold all values of the old type, and
  * DuckDB must accept the change too.
  *
  * Source: DuckDB 1.5.5, observed (format 11.2); narrower where a value would change.
  */
object TypeChange {

  /** Whether the column may change to the type. Left: why not.
    *
    * @param keys the partition keys on this column
    */
  def check(
      column: Column,
      to: LakeType.Primitive,
      keys: Vector[PartitionKey],
  ): Either[String, Unit] =
    column.dataType match {
      case same if same == to => Right(())
      case from: LakeType.Primitive if widens(from, to) => hashed(from, to, keys)
      case from =>
        Left(s"${TypeText.print(from)} cannot become ${TypeText.print(to)} without loss")
    }

  /** A bucket is computed from the stored form of a value, so the type of a bucket key may change
    * only when the stored form stays the same.
    */
  private def hashed(
      from: LakeType.Primitive,
      to: LakeType.Primitive,
      keys: Vector[PartitionKey],
  ): Either[String, Unit] = {
    val isBucketed = keys.exists(_.transform match {
      case Transform.Bucket(_) => true
      case _ => false
    })
    val keepsHash = bits.contains(from) && bits.contains(to)
    if (isBucketed && !keepsHash)
      Left("the table is partitioned by its hash, which would change")
    else Right(())
  }

  private def widens(from: LakeType.Primitive, to: LakeType.Primitive): Boolean =
    (from, to) match {
      case (LakeType.Decimal(precision, scale), LakeType.Decimal(wider, finer)) =>
        finer >= scale && wider - finer >= precision - scale
      case (whole, LakeType.Decimal(precision, scale)) =>
        digits.get(whole).exists(_ <= precision - scale)
      case (LakeType.Float32, LakeType.Float64) => true
      case (LakeType.Date, LakeType.Timestamp) => true
      case (whole, LakeType.Float64) => exactInDouble(whole)
      case _ => widensInteger(from, to)
    }

  private val bits: Map[LakeType, Int] = Map(
    LakeType.Int8 -> 8,
    LakeType.Int16 -> 16,
    LakeType.Int32 -> 32,
    LakeType.Int64 -> 64,
  )

  private val unsignedBits: Map[LakeType, Int] = Map(
    LakeType.UInt8 -> 8,
    LakeType.UInt16 -> 16,
    LakeType.UInt32 -> 32,
    LakeType.UInt64 -> 64,
  )

  private def widensInteger(from: LakeType, to: LakeType): Boolean =
    (bits.get(from), unsignedBits.get(from), bits.get(to), unsignedBits.get(to)) match {
      case (Some(narrow), _, Some(wide), _) => narrow < wide
      case (_, Some(narrow), Some(wide), _) => narrow < wide
      case (_, Some(narrow), _, Some(wide)) => narrow < wide
      case _ => false
    }

  private val exactInDouble: Set[LakeType] =
    Set(LakeType.Int8, LakeType.Int16, LakeType.Int32)

  /** Integer digits that DuckDB requires of a DECIMAL to hold any value of the type. */
  private val digits: Map[LakeType, Int] = Map(
    LakeType.Int8 -> 3,
    LakeType.Int16 -> 5,
    LakeType.Int32 -> 10,
    LakeType.Int64 -> 19,
  )
}
