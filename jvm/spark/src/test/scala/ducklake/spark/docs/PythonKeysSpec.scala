package ducklake.spark.docs

import ducklake.spark.config.ConfigKey

/** `python/src/ducklake_spark/_keys.py`: the keys that `configure` knows. */
final class PythonKeysSpec extends RecordedPage {

  private def module: String = {
    val keys = ConfigKey.all.map(_.name) ++ ConfigKey.withoutEffect.toVector.sorted
    val lines = keys.map(key => s"    \"$key\",").mkString("\n")
    val prefixes = Seq(ConfigKey.JdbcPrefix, ConfigKey.HadoopPrefix, ConfigKey.WithoutEffectPrefix)
    s"""\"\"\"The keys of a catalog. Made from the connector's code: record it with `./sbt recordPages`.\"\"\"
       |
       |from __future__ import annotations
       |
       |KEYS = (
       |$lines
       |)
       |
       |PREFIXES = (${prefixes.map(prefix => s"\"$prefix\"").mkString(", ")})
       |""".stripMargin
  }

  test("the keys that Python knows are what the code knows") {
    assertRecorded("../../python/src/ducklake_spark/_keys.py", module)
  }
}
