package ducklake.catalog.types

/** What is reliable in the statistics and texts of a type.
  *
  * @param hasStatistics the table statistics that we write have a row for a column of the type
  * @param hasBounds this row has a minimum and a maximum
  * @param hasUsableBounds the stored bounds of a file can be used
  * @param hasTrueCounts the stored counts of a file are its true numbers of values and NULLs
  * @param hasOneText a partition value and its text correspond one to one, so the text gives the
  *   value of all rows
  */
final case class TypeTraits(
    hasStatistics: Boolean,
    hasBounds: Boolean,
    hasUsableBounds: Boolean,
    hasTrueCounts: Boolean,
    hasOneText: Boolean,
)

/** Source: DuckDB 1.5.5, observed (format 3.1, 3.2, 3.4 and 3.5). */
object TypeTraits {
  import LakeType.*

  def of(lakeType: LakeType): TypeTraits = lakeType match {
    case Bool | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Decimal(_, _) |
        Date | Time | TimeNs | Timestamp | TimestampS | TimestampMs | TimestampNs | TimestampTz |
        TimestampTzNs | Varchar | Json | Uuid =>
      plain
    case Float32 | Float64 => floating
    case Int128 | UInt128 => wide
    case Blob => bytes
    case TimeTz | Interval => unordered
    case Geometry(_) => shape
    case Variant | NullType | Unknown(_) => opaque
    case ListType | StructType | MapType => opaque
  }

  /** Whether the stored bounds of the type hold exactly for the values that are read. For other
    * types they do not: for example, some writers round timestamps of seconds and milliseconds.
    */
  def haveExactBounds(lakeType: LakeType): Boolean =
    lakeType match {
      case Bool | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Float32 |
          Float64 | Decimal(_, _) | Date | Timestamp | TimestampTz | Varchar | Uuid =>
        true
      case Int128 | UInt128 | Time | TimeNs | TimeTz | TimestampS | TimestampMs | TimestampNs |
          TimestampTzNs | Interval | NullType | Blob | Json | Variant | Geometry(_) | Unknown(_) |
          ListType | StructType | MapType =>
        false
    }

  private val plain = TypeTraits(
    hasStatistics = true,
    hasBounds = true,
    hasUsableBounds = true,
    hasTrueCounts = true,
    hasOneText = true,
  )

  private val floating = plain.copy(hasOneText = false)

  /** Parquet files have these integers as floats, while texts elsewhere have all digits. */
  private val wide = plain.copy(hasBounds = false, hasUsableBounds = false, hasOneText = false)

  /** The bounds of blobs have one of two spellings, and it is not known which one. */
  private val bytes = plain.copy(hasUsableBounds = false, hasOneText = false)

  /** DuckDB stores invented counts for these types. */
  private val unordered = wide.copy(hasTrueCounts = false)

  /** Geometries and variants have other kinds of statistics, which we do not write. */
  private val opaque = unordered.copy(hasStatistics = false)

  private val shape = opaque.copy(hasTrueCounts = true)
}
