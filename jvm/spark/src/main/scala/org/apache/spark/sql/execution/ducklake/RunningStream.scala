package org.apache.spark.sql.execution.ducklake

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.ducklake.StreamedQuery.StreamedQuery
import org.apache.spark.sql.execution.streaming.ProcessingTimeTrigger

import java.util.UUID
import java.util.concurrent.locks.Condition
import java.util.concurrent.locks.ReentrantLock

/** Questions about a running streaming query that Scala allows only in Spark's own packages; in
  * byte code the methods are public.
  */
object RunningStream {

  // Scala allows only subclasses to use these.
  private val progressLock = StreamedQuery.implementation.getMethod("awaitProgressLock")
  private val progress = StreamedQuery.implementation.getMethod("awaitProgressLockCondition")

  /** The query that this thread runs; None in other threads. */
  def of(session: SparkSession): Option[StreamedQuery] =
    for {
      id <- Option(session.sparkContext.getLocalProperty(StreamedQuery.IdProperty))
      query <- Option(session.sharedState.activeStreamingQueries.get(UUID.fromString(id)))
    } yield query

  def hasNoTrigger(query: StreamedQuery): Boolean = query.trigger match {
    case ProcessingTimeTrigger(interval) => interval == 0
    case _ => false
  }

  /** Whether a thread waits for the query's progress. While Spark polls sources it holds the lock
    * that the waiting threads need, so their number does not change then. True when Spark does not
    * hold the lock.
    */
  def isAwaited(query: StreamedQuery): Boolean =
    (progressLock.invoke(query), progress.invoke(query)) match {
      case (lock: ReentrantLock, made: Condition) =>
        !lock.isHeldByCurrentThread || lock.hasWaiters(made)
      case other => throw new IllegalStateException(s"unexpected lock of progress: $other")
    }
}
