package ducklake.spark.sparkapi.task

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.io.Text
import org.apache.hadoop.io.WritableUtils
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast

import java.io.ObjectInputStream
import java.io.ObjectOutputStream

import scala.jdk.CollectionConverters.*

/** Sends Hadoop's settings to tasks, except settings of catalogs: tasks do not need these, and some
  * are secrets. The settings are sent without their sources. In Spark's form, each of a thousand
  * settings has a compressed list of its sources, which took a twentieth of the time of small
  * statements in a profile.
  */
final class TaskHadoopConf(@transient private var settings: Configuration) extends Serializable {

  /** The settings. On the driver this is the same object that was given. */
  def value: Configuration = settings

  /** Writes the settings in Hadoop's form, with empty lists of sources. */
  private def writeObject(out: ObjectOutputStream): Unit = {
    val entries =
      settings.iterator().asScala.filterNot(_.getKey.startsWith(TaskHadoopConf.OfCatalogs)).toVector
    WritableUtils.writeVInt(out, entries.size)
    entries.foreach { entry =>
      Text.writeString(out, entry.getKey)
      Text.writeString(out, entry.getValue)
      WritableUtils.writeCompressedStringArray(out, TaskHadoopConf.NoSources)
    }
  }

  private def readObject(in: ObjectInputStream): Unit = {
    settings = new Configuration(false)
    settings.readFields(in)
  }
}

object TaskHadoopConf {
  private val NoSources: Array[String] = null
  private val OfCatalogs = "spark.sql.catalog."

  def broadcast(context: SparkContext, settings: Configuration): Broadcast[TaskHadoopConf] =
    context.broadcast(new TaskHadoopConf(settings))
}
