package ducklake.catalog

import ducklake.catalog.jdbc.OpenDatabases
import ducklake.catalog.jdbc.WeakValueMap

import java.lang.ref.Cleaner

/** The lakes of this JVM: equal settings give the same lake, with its connections and caches, for as
  * long as somebody holds the lake. What a lake has open ends soon after that.
  */
object Lakes {
  private val opened = new WeakValueMap[LakeSettings, Lake]
  private val cleaner = Cleaner.create()

  /** Connects to nothing yet. */
  def open(settings: LakeSettings): Lake = opened.of(settings) {
    val lake = new DatabaseLake(settings)
    cleaner.register(lake, lake.closing): Unit
    lake
  }

  /** Closes every lake, and what is left of lakes that nobody holds. All can be used again. */
  def closeAll(): Unit = {
    opened.all.foreach(_.close())
    OpenDatabases.closeAll()
  }
}
