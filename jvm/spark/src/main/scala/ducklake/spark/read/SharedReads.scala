package ducklake.spark.read

import java.lang.ref.SoftReference
import java.util.LinkedHashMap as JavaMap
import java.util.concurrent.locks.ReentrantLock

import scala.annotation.tailrec

/** Values that the tasks of an executor share: each is read once, while there is memory for it.
  *
  * The number of values is not limited, because tasks may want many small values in the same order,
  * and each task would evict the value that the next task needs first.
  *
  * @param maxBytes the size of the values that are kept; the last value is kept at any size
  */
private[spark] final class SharedReads[K, V <: AnyRef](maxBytes: Long)(sizeOf: V => Long) {

  private final class Entry(key: K) {
    private val lock = new ReentrantLock
    @volatile private var held: Option[SoftReference[V]] = None

    /** Guarded by the lock of all entries. */
    var bytes: Long = SharedReads.EntryBytes

    def value(read: K => V): V = {
      lock.lock()
      try known.getOrElse(filled(read))
      finally lock.unlock()
    }

    /** None when another task reads the value. */
    def prepared(prepare: K => Unit, read: K => V): Option[V] = {
      prepare(key)
      if (!lock.tryLock()) None
      else
        try Some(known.getOrElse(filled(read)))
        finally lock.unlock()
    }

    def known: Option[V] = held.flatMap(reference => Option(reference.get))

    private def filled(read: K => V): V = {
      val found = read(key)
      held = Some(new SoftReference(found))
      keep(key, this, SharedReads.EntryBytes + sizeOf(found))
      found
    }
  }

  private val entries = new JavaMap[K, Entry](16, 0.75f, true)

  // The size of all entries, guarded by their lock.
  private var total = 0L

  def apply(key: K)(read: K => V): V = entry(key).value(read)

  /** The values of these keys, in their order. A value that another task reads comes last, so that
    * tasks that need the same values read them together.
    *
    * @param prepare is called before a value is read, also by tasks that then leave the value to
    *   another task, so that tasks share the preparation
    */
  def all(keys: Vector[K], prepare: K => Unit = (_: K) => ())(read: K => V): Vector[V] = {
    val wanted = keys.map(entry)
    val found = wanted.map(entry => entry.known.orElse(entry.prepared(prepare, read)))
    wanted.zip(found).map { case (entry, value) => value.getOrElse(entry.value(read)) }
  }

  def clear(): Unit = entries.synchronized {
    entries.clear()
    total = 0L
  }

  private def entry(key: K): Entry = entries.synchronized {
    entries.computeIfAbsent(
      key,
      _ => {
        val made = new Entry(key)
        total += made.bytes
        made
      },
    )
  }

  private def keep(key: K, entry: Entry, bytes: Long): Unit = entries.synchronized {
    if (Option(entries.get(key)).exists(_ eq entry)) {
      total += bytes - entry.bytes
      entry.bytes = bytes
      removeEldest(entries.values.iterator)
    }
  }

  @tailrec
  private def removeEldest(from: java.util.Iterator[Entry]): Unit =
    if (total > maxBytes && entries.size > 1) {
      total -= from.next().bytes
      from.remove()
      removeEldest(from)
    }
}

private[spark] object SharedReads {

  /** The approximate size of an entry without its value. */
  private val EntryBytes = 256L

  /** A part of the memory of this process, which is kept for values of one kind. */
  val ShareOfMemory: Long = Runtime.getRuntime.maxMemory / 16
}
