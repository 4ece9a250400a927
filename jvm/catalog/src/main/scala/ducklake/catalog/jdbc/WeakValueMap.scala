package ducklake.catalog.jdbc

import java.lang.ref.WeakReference

import scala.collection.mutable

/** One value for each key, for as long as somebody holds the value. Safe for many threads. */
final class WeakValueMap[K, V <: AnyRef] {
  private val kept = mutable.Map.empty[K, WeakReference[V]]

  /** The value that is there, else a new one. */
  def of(key: K)(make: => V): V = synchronized {
    kept.get(key).flatMap(found).getOrElse {
      kept.filterInPlace((_, value) => found(value).nonEmpty)
      val made = make
      kept.put(key, new WeakReference(made)): Unit
      made
    }
  }

  /** Those that somebody holds. */
  def all: Vector[V] = synchronized(kept.values.flatMap(found).toVector)

  private def found(value: WeakReference[V]): Option[V] = Option(value.get)
}
