package ducklake.spark.sparkapi

import ducklake.spark.sparkapi.task.TaskHadoopConf
import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkConf
import org.apache.spark.serializer.JavaSerializer
import org.apache.spark.serializer.KryoSerializer
import org.scalatest.funsuite.AnyFunSuite

class TaskHadoopConfSpec extends AnyFunSuite {

  private val settings = new Configuration(false)
  settings.set("fs.s3a.endpoint", "http://localhost")
  settings.set("spark.sql.catalog.lake.password", "secret")

  Seq(new JavaSerializer(new SparkConf), new KryoSerializer(new SparkConf)).foreach { serializer =>
    test(s"tasks get the settings without those of catalogs, by ${serializer.getClass}") {
      val instance = serializer.newInstance()

      val sent = instance.deserialize[TaskHadoopConf](
        instance.serialize(new TaskHadoopConf(settings))
      )

      assert(sent.value.get("fs.s3a.endpoint") == "http://localhost")
      assert(sent.value.get("spark.sql.catalog.lake.password") == null)
      assert(sent.value eq sent.value)
    }
  }

  test("the driver has the very settings that were given") {
    assert(new TaskHadoopConf(settings).value eq settings)
  }
}
