package ducklake.spark.config

import ducklake.catalog.error.LakeException
import org.scalatest.funsuite.AnyFunSuite

final class StatementOptionsSpec extends AnyFunSuite {

  private def hint(check: Iterable[String] => Unit, option: String): String =
    intercept[LakeException](check(Vector(option))).error.message

  test("known options are taken in any case") {
    StatementOptions.checkRead(Vector("VERSIONASOF", "snapshot-id"))
    StatementOptions.checkWrite(
      Vector("REPLACEWHERE", "compression", "Target_File_Size", "commit-author")
    )
  }

  test("Spark's mark of a relation that is going to be written is no option") {
    StatementOptions.checkRead(Vector("__required_write_privileges__"))
  }

  for (
    (typed, meant) <- Vector(
      "versionAs" -> "versionAsOf",
      "snapshot_version" -> "snapshot-version",
      "timestampasoff" -> "timestampAsOf",
    )
  )
    test(s"the read option nearest to $typed is $meant") {
      assert(hint(StatementOptions.checkRead, typed).endsWith(s"is `$meant`."))
    }

  for (
    (typed, meant) <- Vector(
      "replaceWere" -> "replaceWhere",
      "commit_message" -> "commit-message",
      "parquet_compresion" -> "parquet_compression",
      "partitionOverwritemod" -> "partitionOverwriteMode",
    )
  )
    test(s"the write option nearest to $typed is $meant") {
      assert(hint(StatementOptions.checkWrite, typed).endsWith(s"is `$meant`."))
    }

  test("options of other formats are refused with the way to do the same") {
    assert(hint(StatementOptions.checkWrite, "userMetadata").contains("`commit-message`"))
    assert(hint(StatementOptions.checkRead, "branch").contains("`versionAsOf`"))
    assert(hint(StatementOptions.checkWrite, "auto_compact").contains("TBLPROPERTIES"))
  }

  test("only Spark moves tables about tables through time") {
    StatementOptions.checkReadOfMetadata(Vector("versionAsOf"))
    val message = hint(StatementOptions.checkReadOfMetadata, "snapshot-version")
    assert(message.contains("`versionAsOf`"))
  }
}
