package ducklake.spark.sparkapi

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.io.Text
import org.apache.hadoop.io.WritableUtils
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast

import java.io.ObjectInputStream
import java.io.ObjectOutputStream

import scala.jdk.CollectionConverters.*

/** Hadoop's settings on their way to tasks. As Spark sends them, each of a thousand settings has a zipped
  * list of the places that it comes from: a twentieth of the time of small statements, by a profile.
  */
final class TaskHadoopConf(@transient private var settings: Configuration) extends Serializable {

  /** On the driver the very object that was given. */
  def value: Configuration = settings

  /** In Hadoop's form, with no places. */
  private def writeObject(out: ObjectOutputStream): Unit = {
    val entries = settings.iterator().asScala.toVector
    WritableUtils.writeVInt(out, entries.size)
    entries.foreach { entry =>
      Text.writeString(out, entry.getKey)
      Text.writeString(out, entry.getValue)
      WritableUtils.writeCompressedStringArray(out, TaskHadoopConf.NoPlaces)
    }
  }

  private def readObject(in: ObjectInputStream): Unit = {
    settings = new Configuration(false)
    settings.readFields(in)
  }
}

object TaskHadoopConf {
  private val NoPlaces: Array[String] = null

  def broadcast(context: SparkContext, settings: Configuration): Broadcast[TaskHadoopConf] =
    context.broadcast(new TaskHadoopConf(settings))
}
