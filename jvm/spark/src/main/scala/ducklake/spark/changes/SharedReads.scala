package ducklake.spark.changes

import java.lang.ref.SoftReference
import java.util.LinkedHashMap as JavaMap

/** Values that the tasks of an executor share: each is read once, while there is memory for it.
  *
  * @param maxValues the number of values that are kept
  */
private[changes] final class SharedReads[K, V <: AnyRef](maxValues: Int) {

  private final class Entry {
    private var held: Option[SoftReference[V]] = None

    def value(read: => V): V = synchronized {
      held.flatMap(reference => Option(reference.get)).getOrElse {
        val found = read
        held = Some(new SoftReference(found))
        found
      }
    }
  }

  private val entries = new JavaMap[K, Entry](16, 0.75f, true) {
    override def removeEldestEntry(eldest: java.util.Map.Entry[K, Entry]): Boolean =
      size > maxValues
  }

  def apply(key: K)(read: => V): V = {
    val entry = entries.synchronized(entries.computeIfAbsent(key, _ => new Entry))
    entry.value(read)
  }
}
