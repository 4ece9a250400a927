package ducklake.catalog.cache

import java.util.LinkedHashMap

import scala.jdk.CollectionConverters.SetHasAsScala

/** A cache with a limit on the weight of its entries. The least recently used entry is evicted
  * first. It is safe for many threads. When two threads miss the same key at once, both compute the
  * value, and either value is correct.
  *
  * @param weigh weight of an entry, computed when the entry is added
  */
final class BoundedCache[K, V](val limit: Long, weigh: V => Long) {
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

  /** The weight of all entries. */
  def total: Long = synchronized(weight)

  /** The number of entries. */
  def size: Int = synchronized(entries.size)

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

/** The entries of one lake in a cache that all lakes of the process share, with one common limit
  * (decision 07). A lake never sees the entries of another lake, because two lakes may have the
  * same history.
  */
final class LakeScopedCache[K, V](all: BoundedCache[(AnyRef, K), V]) {
  def find(key: K): Option[V] = all.find((this, key))

  def put(key: K, value: V): Unit = all.put((this, key), value)

  def remove(key: K): Unit = all.remove((this, key))

  /** Removes the entries of this lake. */
  def clear(): Unit = all.removeIf { case (owner, _) => owner eq this }
}
