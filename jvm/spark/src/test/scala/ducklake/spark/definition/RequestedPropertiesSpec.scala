package ducklake.spark.definition

import org.scalatest.funsuite.AnyFunSuite

final class GivenPropertiesSpec extends AnyFunSuite {

  for (
    (typed, meant) <- Vector(
      "target_file_sze" -> "target_file_size",
      "parquet_compresion" -> "parquet_compression",
      "target-file-size" -> "target_file_size",
      "Parquet.Compression" -> "parquet_compression",
      "ducklake.sortedby" -> "ducklake.sorted-by",
    )
  )
    test(s"property $typed is nearly the option $meant") {
      assert(RequestedProperties.nearlyOption(typed).contains(meant))
    }

  for (
    name <- Vector("target_file_size", "TARGET_FILE_SIZE", "comment", "owner", "quality", "version")
  )
    test(s"property $name is nothing but itself") {
      assert(RequestedProperties.nearlyOption(name).isEmpty)
    }
}
