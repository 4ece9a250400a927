package ducklake.spark.sparkapi.task

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.io.Text
import org.apache.hadoop.io.WritableUtils
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.DataInputStream
import java.io.DataOutputStream

import scala.jdk.CollectionConverters.*

/** Sends Hadoop's settings to tasks, except settings of catalogs: tasks do not need these, and some
  * are secrets. The settings are sent without their sources. In Spark's form, each of a thousand
  * settings has a compressed list of its sources, which took a twentieth of the time of small
  * statements in a profile.
  *
  * They travel as plain bytes, because Spark sends a broadcast with the serializer of
  * `spark.serializer`, and Kryo calls no method of Java's serialization.
  */
final class TaskHadoopConf(settings: Configuration) extends Serializable {
  private val bytes = TaskHadoopConf.written(settings)

  @transient @volatile private var known = settings

  /** The settings. On the driver this is the same object that was given. */
  def value: Configuration = {
    if (known == null) known = TaskHadoopConf.read(bytes)
    known
  }
}

object TaskHadoopConf {
  private val NoSources: Array[String] = null
  private val OfCatalogs = "spark.sql.catalog."

  def broadcast(context: SparkContext, settings: Configuration): Broadcast[TaskHadoopConf] =
    context.broadcast(new TaskHadoopConf(settings))

  /** The settings in Hadoop's form, with empty lists of sources. */
  private def written(settings: Configuration): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out = new DataOutputStream(bytes)
    val entries = settings.iterator().asScala.filterNot(_.getKey.startsWith(OfCatalogs)).toVector
    WritableUtils.writeVInt(out, entries.size)
    entries.foreach { entry =>
      Text.writeString(out, entry.getKey)
      Text.writeString(out, entry.getValue)
      WritableUtils.writeCompressedStringArray(out, NoSources)
    }
    bytes.toByteArray
  }

  private def read(bytes: Array[Byte]): Configuration = {
    val settings = new Configuration(false)
    settings.readFields(new DataInputStream(new ByteArrayInputStream(bytes)))
    settings
  }
}
