package ducklake.spark.session

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.scheduler.SparkListenerApplicationEnd
import org.apache.spark.sql.SparkSession

import java.util.Collections
import java.util.WeakHashMap

/** Runs an action at the end of a Spark application. Spark notifies catalogs neither of that end
  * nor of the end of a session.
  */
private[spark] object ApplicationEnd {
  private val known = Collections.newSetFromMap(new WeakHashMap[SparkContext, java.lang.Boolean])

  /** Runs the action at the end of the application of this session. The action runs once, even when
    * this method is called several times.
    */
  def onEnd(action: () => Unit): Unit =
    SparkSession.getActiveSession.map(_.sparkContext).foreach { context =>
      if (synchronized(known.add(context)))
        context.addSparkListener(new SparkListener {
          override def onApplicationEnd(end: SparkListenerApplicationEnd): Unit = action()
        })
    }
}
