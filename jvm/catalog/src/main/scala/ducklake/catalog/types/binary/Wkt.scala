package ducklake.catalog.types.binary

import ducklake.catalog.types.text.NumberText
import ducklake.catalog.types.text.TextScanner
import ducklake.catalog.types.text.TextScanner.Step

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.Locale

import scala.collection.immutable.ArraySeq

/** Geometries as well-known text, as DuckDB prints them: `POINT Z (1 2 3)`, `POLYGON EMPTY`.
  *
  * Source: DuckDB 1.5.5, observed, tests/e2e/test_duckdb_defaults.py.
  */
private[types] object Wkt {

  /** The well-known binary that DuckDB shows for the text. None for another text. */
  def parse(text: String): Option[ArraySeq[Byte]] = {
    val scan = new TextScanner(text)
    for {
      (bytes, end) <- new Shapes(scan).geometry(scan.skipBlanks(0), MostDepth).toOption
      if scan.skipBlanks(end) == text.length
      canonical <- Wkb.canonical(bytes)
    } yield ArraySeq.unsafeWrapArray(canonical)
  }

  /** How many geometries a geometry may stand in, and itself. */
  private val MostDepth = 16

  private val Point = 1
  private val LineString = 2
  private val Polygon = 3
  private val MultiPoint = 4
  private val Collection = 7

  private val shapes = Map(
    "POINT" -> Point,
    "LINESTRING" -> LineString,
    "POLYGON" -> Polygon,
    "MULTIPOINT" -> MultiPoint,
    "MULTILINESTRING" -> 5,
    "MULTIPOLYGON" -> 6,
    "GEOMETRYCOLLECTION" -> Collection,
  )

  private val namePattern = """([A-Za-z]+)(?:\s+(ZM|Z|M|zm|z|m))?(?=[\s(])""".r
  private val numberPattern = """[-+.\w]+""".r

  /** A shape with its numbers of each point: two, and one more for each of Z and M. */
  private final case class Kind(shape: Int, numbers: Int, isoDimensions: Int) {
    def of(other: Int): Kind = copy(shape = other)
  }

  /** Reads parts of the text as parts of the binary. */
  private final class Shapes(scan: TextScanner) {

    def geometry(at: Int, room: Int): Step[Array[Byte]] =
      namePattern.findPrefixMatchOf(scan.text.substring(at)) match {
        case Some(found) if room > 0 =>
          val dimensions = Option(found.group(2)).fold("")(_.toUpperCase(Locale.ROOT))
          shapes.get(found.group(1).toUpperCase(Locale.ROOT)) match {
            case Some(shape) =>
              val (numbers, iso) = sizes(dimensions)
              whole(Kind(shape, numbers, iso), scan.skipBlanks(at + found.end), room)
            case None => Left(s"no shape at character $at")
          }
        case _ => Left(s"no shape at character $at")
      }

    private def sizes(dimensions: String): (Int, Int) =
      dimensions match {
        case "Z" => (3, 1)
        case "M" => (3, 2)
        case "ZM" => (4, 3)
        case _ => (2, 0)
      }

    private def whole(kind: Kind, at: Int, room: Int): Step[Array[Byte]] =
      headed(kind, content(kind, at, room))

    private def headed(kind: Kind, content: Step[Array[Byte]]): Step[Array[Byte]] =
      content.map { case (bytes, end) =>
        (1.toByte +: (int(kind.shape + kind.isoDimensions * 1000) ++ bytes), end)
      }

    private def content(kind: Kind, at: Int, room: Int): Step[Array[Byte]] =
      (scan.keyword(at, "EMPTY"), kind.shape) match {
        case (Some(end), Point) =>
          Right((Array.fill(kind.numbers)(Double.NaN).flatMap(double), end))
        case (Some(end), _) => Right((int(0), end))
        case (None, Point) =>
          for {
            start <- scan.expect(at, '(')
            read <- point(kind, start)
            (bytes, end) = read
            behind <- scan.expect(end, ')')
          } yield (bytes, behind)
        case (None, LineString) => counted(at)(point(kind, _))
        case (None, Polygon) => counted(at)(ring => counted(ring)(point(kind, _)))
        case (None, MultiPoint) => counted(at)(part => pointPart(kind.of(Point), part, room))
        case (None, Collection) => counted(at)(geometry(_, room - 1))
        case (None, several) => counted(at)(whole(kind.of(several - Polygon), _, room))
      }

    /** A point of several, with or without parentheses. */
    private def pointPart(kind: Kind, at: Int, room: Int): Step[Array[Byte]] =
      if (scan.isAt(at, '(') || scan.keyword(at, "EMPTY").nonEmpty) whole(kind, at, room)
      else headed(kind, point(kind, at))

    private def counted(at: Int)(part: Int => Step[Array[Byte]]): Step[Array[Byte]] =
      scan.sequence(at, '(', ')')(part).flatMap { case (parts, end) =>
        Either.cond(parts.nonEmpty, (int(parts.length) ++ parts.flatten, end), "a part expected")
      }

    private def point(kind: Kind, at: Int): Step[Array[Byte]] = {
      val start: Step[Array[Byte]] = Right((Array.emptyByteArray, at))
      (1 to kind.numbers).foldLeft(start) { (before, _) =>
        before.flatMap { case (bytes, end) =>
          number(scan.skipBlanks(end)).map { case (value, behind) =>
            (bytes ++ double(value), behind)
          }
        }
      }
    }

    private def number(at: Int): Step[Double] =
      numberPattern
        .findPrefixOf(scan.text.substring(at))
        .flatMap(digits => NumberText.float64(digits).map((_, at + digits.length)))
        .toRight(s"number expected at character $at")
  }

  private def int(value: Int): Array[Byte] = little(4)(_.putInt(value))

  private def double(value: Double): Array[Byte] = little(8)(_.putDouble(value))

  private def little(size: Int)(put: ByteBuffer => ByteBuffer): Array[Byte] =
    put(ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN)).array
}
