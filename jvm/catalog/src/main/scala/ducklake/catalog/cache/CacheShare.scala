package ducklake.catalog.cache

/** What one lake keeps in a cache that all lakes of the process share, with one bound (decision 0018).
  * Lakes see nothing of each other: two of them may have the same past.
  */
final class CacheShare[K, V](all: BoundedCache[(AnyRef, K), V]) {
  def find(key: K): Option[V] = all.find((this, key))

  def put(key: K, value: V): Unit = all.put((this, key), value)

  def remove(key: K): Unit = all.remove((this, key))

  /** Forgets what this lake keeps. */
  def clear(): Unit = all.removeIf { case (owner, _) => owner eq this }
}
