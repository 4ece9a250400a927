package ducklake.spark.config

import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.error.LakeException
import org.scalatest.funsuite.AnyFunSuite

final class CatalogConfigSpec extends AnyFunSuite {

  private def config(settings: (String, String)*): CatalogConfig =
    CatalogConfig.parse("lake", Map("uri" -> "ducklake:sqlite:/tmp/lake.sqlite") ++ settings)

  test("what is not set has the default that the reference page shows") {
    val plain = config()

    assert(plain.lake.busyTimeoutMillis == 5000)
    assert(plain.lake.retry == RetryPolicy(10, 100L, 1.5))
    assert(plain.inliningRowLimit.isEmpty)
    assert(!plain.isReadOnly)
  }

  test("numbers are taken to their limits") {
    val most = config(
      "busy-timeout" -> "2147483647",
      "retry.max-count" -> "0",
      "retry.wait-ms" -> "9223372036854775807",
      "data-inlining-row-limit" -> "0",
    )

    assert(most.lake.busyTimeoutMillis == 2147483647)
    assert(most.lake.retry == RetryPolicy(0, 9223372036854775807L, 1.5))
    assert(most.inliningRowLimit.contains(0L))
  }

  for (
    (key, value) <- Vector(
      "busy-timeout" -> "2147483648",
      "busy-timeout" -> "-1",
      "retry.max-count" -> "4294967296",
      "retry.wait-ms" -> "9223372036854775808",
      "retry.backoff" -> "0.5",
      "snapshot-version" -> "-1",
      "read-only" -> "yes",
    )
  )
    test(s"$key is not $value") {
      val error = intercept[LakeException](config(key -> value)).error
      assert(error.condition == "DUCKLAKE_INVALID_SETTING")
      assert(error.parameters("key") == key)
    }
}
