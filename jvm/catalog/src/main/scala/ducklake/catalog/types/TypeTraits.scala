package ducklake.catalog.types

/** What can be relied on in the statistics and texts of a type.
  *
  * @param hasStatistics the table's statistics, as we write them, have a row for such a column
  * @param hasBounds that row has a minimum and a maximum
  * @param tellsBounds the bounds that are stored for a file are read as values
  * @param tellsCounts the counts that are stored for a file are those of its values and NULLs
  * @param hasOneText the text of a partition value is that of all its rows, of no other value, and
  *   compared like them
  */
final case class TypeTraits(
    hasStatistics: Boolean,
    hasBounds: Boolean,
    tellsBounds: Boolean,
    tellsCounts: Boolean,
    hasOneText: Boolean,
)

/** Source: DuckDB 1.5.5, observed (format 3.1, 3.2, 3.4 and 3.5). */
object TypeTraits {
  import LakeType.*

  def of(lakeType: LakeType): TypeTraits = lakeType match {
    case Bool | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Decimal(_, _) |
        Date | Time | TimeNs | Timestamp | TimestampS | TimestampMs | TimestampNs | TimestampTz |
        Varchar | Json | Uuid =>
      plain
    case Float32 | Float64 => floating
    case Int128 | UInt128 => wide
    case Blob => bytes
    case TimeTz | Interval => unordered
    case Geometry(_) => shape
    case Variant | Unknown(_) => opaque
    case ListType | StructType | MapType => opaque
  }

  private val plain = TypeTraits(
    hasStatistics = true,
    hasBounds = true,
    tellsBounds = true,
    tellsCounts = true,
    hasOneText = true,
  )

  private val floating = plain.copy(hasOneText = false)

  /** Files hold them as floating point, other texts have all their digits. */
  private val wide = plain.copy(hasBounds = false, tellsBounds = false, hasOneText = false)

  /** Of a blob it is not known which of two spellings was used. */
  private val bytes = plain.copy(tellsBounds = false, hasOneText = false)

  /** DuckDB invents their counts. */
  private val unordered = wide.copy(tellsCounts = false)

  /** Geometries and variants have statistics of their own kind, which we do not write. */
  private val opaque = unordered.copy(hasStatistics = false)

  private val shape = opaque.copy(tellsCounts = true)
}
