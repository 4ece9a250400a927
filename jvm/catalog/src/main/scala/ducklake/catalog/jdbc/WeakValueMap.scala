package ducklake.catalog.jdbc

import java.lang.ref.WeakReference

import scala.collection.mutable

/** A map with weakly referenced values: an entry lasts as long as its value is referenced
  * elsewhere. Safe for many threads.
  */
final class WeakValueMap[K, V <: AnyRef] {
  private val kept = mutable.Map.empty[K, WeakReference[V]]

  /** The existing value of a key, else a new value. */
  def of(key: K)(make: => V): V = synchronized {
    kept.get(key).flatMap(found).getOrElse {
      kept.filterInPlace((_, value) => found(value).nonEmpty)
      val made = make
      kept.put(key, new WeakReference(made)): Unit
      made
    }
  }

  /** All values that are still referenced. */
  def all: Vector[V] = synchronized(kept.values.flatMap(found).toVector)

  private def found(value: WeakReference[V]): Option[V] = Option(value.get)
}
