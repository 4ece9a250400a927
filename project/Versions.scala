/** Third-party versions, all in one place. */
object Versions {
  val scala = "2.13.18"
  val spark = "4.2.0"

  /** The newest release of each line and minor version: the line's name, and the release. */
  val newestSparks =
    Seq("4.0" -> "4.0.5", "4.1" -> "4.1.4", "4.2" -> "4.2.1", "4.2" -> "4.3.0")

  /** Makes wheels; the one that comes with older Pythons cannot be told how. */
  val pip = "25.3"

  val slf4j = "2.0.17"
  val commonsPool = "2.12.1"
  val sqliteJdbc = "3.53.4.0"
  val postgresJdbc = "42.7.14"
  val duckdbJdbc = "2.0.0.1"

  /** The library with which tables of Iceberg are read; the session brings it. */
  val iceberg = "1.12.0"
  val caffeine = "2.9.3"
  val parquetAvro = "1.17.0"

  /** Delta's Kernel, with which tables of Delta are read, and the connector of the tests. */
  val delta = "4.4.0"

  /** The fuzzer of `fuzzTexts`. */
  val jazzer = "0.24.0"

  /** What stands beside a lake in the tests of `verifyAll`. */
  val openLineage = "1.53.0"
  val comet = "1.2.0"

  /** Change data in the tests of `verifyAll`; Spark's source brings a client of its own. */
  val kafka = "4.3.1"
  val kafkaOfSpark = "3.9.2"
  val debezium = "3.7.0.Final"

  /** Azure's store of blobs; only `verifyAll` uses it. */
  val azurite = "3.37.0"

  /** The DuckDB that judges files and values in the tests of the Spark module. */
  val duckdbPeer = "1.5.5.1"
  val scalaTest = "3.2.20"

  /** Servers on which the full sweep runs the tests of PostgreSQL's versions. */
  val postgresServers =
    Seq("12.22.0", "13.23.0", "14.24.0", "15.19.0", "16.15.0", "17.11.0", "18.6.0")
}
