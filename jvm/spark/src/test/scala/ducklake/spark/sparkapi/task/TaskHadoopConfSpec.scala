package ducklake.spark.sparkapi.task

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.ObjectInputStream
import java.io.ObjectOutputStream

import scala.jdk.CollectionConverters.*

final class TaskConfSpec extends AnyFunSuite {

  private def sent(settings: Configuration): Configuration = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(new TaskHadoopConf(settings))
    out.writeObject("what follows")
    out.close()
    val in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray))
    val arrived = in.readObject() match {
      case conf: TaskHadoopConf => conf.value
      case other => fail(s"$other arrived")
    }
    assert(in.readObject() == "what follows")
    arrived
  }

  private def entries(settings: Configuration): Map[String, String] =
    settings.iterator().asScala.map(entry => entry.getKey -> entry.getValue).toMap

  test("settings arrive as they were, Hadoop's own and ours, references unresolved") {
    val settings = new Configuration
    settings.set("a", "$" + "{hadoop.tmp.dir}/é漢")
    settings.set("long", "x" * 100000)
    settings.set("empty", "")

    val arrived = sent(settings)

    assert(entries(arrived) == entries(settings))
    assert(entries(settings).size > 100)
    assert(arrived.get("a") == settings.get("a"))
  }

  test("settings of catalogs stay on the driver") {
    val settings = new Configuration(false)
    settings.set("spark.sql.catalog.lake.password", "hush")
    settings.set("spark.sql.catalog.lake.hadoop.fs.s3a.secret.key", "hush")
    settings.set("spark.sql.catalogImplementation", "in-memory")

    assert(entries(sent(settings)) == Map("spark.sql.catalogImplementation" -> "in-memory"))
    assert(settings.get("spark.sql.catalog.lake.password") == "hush")
  }

  test("nothing is added on arrival") {
    val settings = new Configuration(false)
    settings.set("only", "this")

    assert(entries(sent(settings)) == Map("only" -> "this"))
  }
}
