package ducklake.catalog

import ducklake.catalog.jdbc.IdleDatabases
import ducklake.catalog.jdbc.WeakValueMap

import java.lang.ref.Cleaner

/** The lakes of this JVM. Equal settings give the same lake, with its connections and caches, as
  * long as the lake is referenced. Its connections are closed soon after the last reference is
  * gone.
  */
object Lakes {
  private val opened = new WeakValueMap[LakeSettings, Lake]
  private val cleaner = Cleaner.create()

  /** Returns the lake without connecting to its database. */
  def open(settings: LakeSettings): Lake = opened.of(settings) {
    val lake = new DatabaseLake(settings)
    cleaner.register(lake, lake.closing): Unit
    lake
  }

  /** Closes every lake, and the connections of lakes that are no longer referenced. All of them can
    * be used again.
    */
  def closeAll(): Unit = {
    opened.all.foreach(_.close())
    IdleDatabases.closeAll()
  }
}
