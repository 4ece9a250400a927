package ducklake.catalog

import java.util.concurrent.ConcurrentHashMap

/** The lakes of this JVM: equal settings give the same lake, with its connections and caches. */
object Lakes {
  private val opened = new ConcurrentHashMap[LakeSettings, Lake]()

  /** Connects to nothing yet. */
  def open(settings: LakeSettings): Lake =
    opened.computeIfAbsent(settings, new DatabaseLake(_))
}
