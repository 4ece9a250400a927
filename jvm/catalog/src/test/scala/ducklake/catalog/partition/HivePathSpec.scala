package ducklake.catalog.partition

import org.scalatest.funsuite.AnyFunSuite

/** The expected folders are those that DuckDB 1.5.5 made. */
final class HivePathSpec extends AnyFunSuite {

  private def names(keys: (Transform, String)*): Vector[String] =
    HivePath.names(keys.toVector.map { case (transform, column) =>
      HivePath.Key(transform, column)
    })

  test("a key is named after its column or its transform") {
    assert(names(Transform.Year -> "ts", Transform.Identity -> "a") == Vector("year", "a"))
    assert(
      names(Transform.Bucket(4) -> "a", Transform.Bucket(3) -> "b") ==
        Vector("bucket", "bucket_b")
    )
  }

  test("a name that is taken gets the column behind it, whatever its case") {
    assert(
      names(Transform.Year -> "ts", Transform.Year -> "y2", Transform.Month -> "y2") ==
        Vector("year", "year_y2", "month")
    )
    assert(
      names(Transform.Year -> "a", Transform.Identity -> "Year") == Vector("year", "Year_Year")
    )
    assert(names(Transform.Identity -> "year", Transform.Year -> "ts") == Vector("year", "year_ts"))
  }

  test("a name that is taken with its column too gets a number, where DuckDB 1.5 fails") {
    assert(
      names(
        Transform.Identity -> "bucket_a",
        Transform.Bucket(4) -> "b",
        Transform.Bucket(3) -> "a",
        Transform.Bucket(2) -> "a",
      ) == Vector("bucket_a", "bucket", "bucket_a_2", "bucket_a_3")
    )
  }

  test("an ordinal is named after its transform") {
    val (day, hour) = (Transform.Epoch(Transform.Day), Transform.Epoch(Transform.Hour))

    assert(
      names(day -> "a", hour -> "a", Transform.Day -> "a", day -> "b") ==
        Vector("epoch_day", "epoch_hour", "day", "epoch_day_b")
    )
  }

  private val onDisk = HivePath.Room.below("/lake/main/t/")

  test("a folder whose name is too long is left out") {
    def folder(room: HivePath.Room, values: String*): String =
      HivePath.folder(Vector("p", "q"), values.toVector.map(Some(_)), room)
    val fits = "a" * 253
    val objects = HivePath.Room.below("s3a://bucket/lake/main/t/")

    assert(folder(onDisk, fits, "1") == s"p=$fits/q=1/")
    assert(folder(onDisk, fits + "a", "1") == "q=1/")
    assert(folder(onDisk, "ä" * 43, "ä" * 43) == "")
    assert(folder(objects, fits + "a", "1") == s"p=${fits}a/q=1/")
    assert(folder(objects, "a" * 600, "b" * 600) == s"p=${"a" * 600}/")
    assert(folder(objects, "a" * 1000, "1") == "q=1/")
  }

  test("values are percent-encoded byte by byte") {
    def folder(value: String): String = HivePath.folder(Vector("s"), Vector(Some(value)), onDisk)

    assert(folder("") == "s=/")
    assert(folder("a b/c") == "s=a%20b%2Fc/")
    assert(folder("é") == "s=%C3%A9/")
    assert(folder("\n\u007fA_z-9") == "s=%0A%7FA_z-9/")
    assert(folder("~!*()'.") == "s=~%21%2A%28%29%27./")
  }

  test("names are encoded too, and NULL has a name of its own") {
    val folder = HivePath.folder(Vector("s t/é=", "d"), Vector(Some("x"), None), onDisk)

    assert(folder == "s%20t%2F%C3%A9%3D=x/d=__HIVE_DEFAULT_PARTITION__/")
  }
}
