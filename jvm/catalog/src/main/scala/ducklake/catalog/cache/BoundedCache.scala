package ducklake.catalog.cache

import java.util.LinkedHashMap

import scala.jdk.CollectionConverters.SetHasAsScala

/** What was read and still holds, up to a weight; the entry used longest ago goes first. Safe for
  * many threads. Two threads that miss at once both compute; either result is right.
  *
  * @param weigh weight of an entry, taken when it is put in
  */
final class BoundedCache[K, V](limit: Long, weigh: V => Long) {
  import BoundedCache.Entry

  private val entries = new LinkedHashMap[K, Entry[V]](16, 0.75f, true)
  private var weight = 0L

  def find(key: K): Option[V] = synchronized(Option(entries.get(key)).map(_.value))

  def put(key: K, value: V): Unit = synchronized {
    remove(key)
    val entry = Entry(value, weigh(value))
    entries.put(key, entry): Unit
    weight += entry.weight
    shrink()
  }

  def remove(key: K): Unit = synchronized {
    Option(entries.remove(key)).foreach(old => weight -= old.weight)
  }

  def removeIf(isGone: K => Boolean): Unit = synchronized {
    entries.keySet.asScala.filter(isGone).toVector.foreach(remove)
  }

  /** The weight of all that is kept. */
  def total: Long = synchronized(weight)

  private def shrink(): Unit = {
    val oldest = entries.entrySet.iterator
    while (weight > limit && entries.size > 1 && oldest.hasNext) {
      weight -= oldest.next().getValue.weight
      oldest.remove()
    }
  }
}

private object BoundedCache {
  private final case class Entry[V](value: V, weight: Long)
}

/** What one lake keeps in a cache that all lakes of the process share, with one bound (decision 0018).
  * Lakes see nothing of each other: two of them may have the same past.
  */
final class LakeScopedCache[K, V](all: BoundedCache[(AnyRef, K), V]) {
  def find(key: K): Option[V] = all.find((this, key))

  def put(key: K, value: V): Unit = all.put((this, key), value)

  def remove(key: K): Unit = all.remove((this, key))

  /** Forgets what this lake keeps. */
  def clear(): Unit = all.removeIf { case (owner, _) => owner eq this }
}
