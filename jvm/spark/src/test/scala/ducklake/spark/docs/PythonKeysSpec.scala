package ducklake.spark.docs

import ducklake.spark.config.ConfigKey
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.nio.file.Path

/** `python/src/ducklake_spark_catalog/keys.py`: the keys that Python knows, with what their values
  * may be.
  */
final class PythonKeysSpec extends AnyFunSuite {

  private lazy val module: String =
    Files.readString(Path.of("../../python/src/ducklake_spark_catalog/keys.py"))

  /** The texts between these marks that stand in double quotes at the beginning of an entry. */
  private def quoted(from: String, to: String): Vector[String] = {
    val start = module.indexOf(from)
    assert(start >= 0, s"keys.py has no `$from`")
    val block = module.substring(start, module.indexOf(to, start))
    "\"([^\"]+)\"(?=[:,)])".r.findAllMatchIn(block + ")").map(_.group(1)).toVector
  }

  test("the keys that Python knows are those of the connector, in its order") {
    val keys = ConfigKey.all.map(_.name) ++ ConfigKey.withoutEffect.toVector.sorted

    assert(quoted("KINDS: Mapping", "\n}") == keys)
  }

  test("the prefixes that Python knows are those of the connector") {
    val prefixes =
      Vector(ConfigKey.JdbcPrefix, ConfigKey.HadoopPrefix, ConfigKey.WithoutEffectPrefix)

    assert(quoted("PREFIXES = (", ")") == prefixes)
  }
}
