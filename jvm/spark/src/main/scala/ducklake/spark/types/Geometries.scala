package ducklake.spark.types

import ducklake.catalog.types.binary.Wkb
import ducklake.spark.errors.ValueSubject

import java.util.HexFormat

/** Geometries, which Spark holds as bytes. */
object Geometries {

  private val ShownBytes = 20

  /** The bytes that DuckDB shows for the geometry. Errors: InvalidValue when DuckDB cannot read it.
    */
  def checked(bytes: Array[Byte], subject: ValueSubject): Array[Byte] =
    Wkb.canonical(bytes).getOrElse {
      val dots = if (bytes.length > ShownBytes) "…" else ""
      val digits = HexFormat.of().withUpperCase().formatHex(bytes.take(ShownBytes))
      subject.refuse(s"X'$digits$dots'", "it is no well-known binary that DuckDB reads")
    }
}
