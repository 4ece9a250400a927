import sbt.*
import sbt.Keys.*
import sbtassembly.AssemblyPlugin.autoImport.assembly

import java.util.zip.ZipFile
import scala.collection.JavaConverters.*

/** Looks into the jar that users put on Spark: what must be in it, and what must never be. */
object BundleCheck {

  val bundleCheck = taskKey[Unit]("The bundle holds what it should and nothing that clashes")

  private val foreign = Seq(
    "scala/",
    "org/apache/spark/",
    "org/apache/hadoop/",
    "org/apache/parquet/",
    "org/slf4j/",
    "com/fasterxml/",
    "org/roaringbitmap/",
    "org/apache/commons/",
    "org/postgresql/",
    "libduckdb_java",
  )

  private val expected = Seq(
    "ducklake/catalog/Lake.class",
    "ducklake/shaded/pool2/impl/GenericObjectPool.class",
    "ducklake/shaded/postgresql/Driver.class",
    "org/sqlite/JDBC.class",
    "org/sqlite/native/Linux/x86_64/libsqlitejdbc.so",
    "org/duckdb/DuckDBDriver.class",
  )

  private val mostBytes = 20L * 1024 * 1024

  private def isForeign(name: String, prefix: String): Boolean =
    name.startsWith(prefix) && !name.endsWith("/") && !name.startsWith(Linking.insideSpark)

  private def complaints(jar: File): Seq[String] = {
    val zip = new ZipFile(jar)
    val names =
      try zip.entries.asScala.map(_.getName).toVector
      finally zip.close()
    val clashing = foreign.flatMap(prefix => names.find(isForeign(_, prefix)))
    val missing = expected.filterNot(names.contains)
    clashing.map(name => s"$name does not belong in the bundle") ++
      missing.map(name => s"$name is not in the bundle") ++
      (if (jar.length > mostBytes) Seq(s"${jar.length} bytes, at most $mostBytes") else Nil)
  }

  val settings: Seq[Setting[?]] = Seq(
    bundleCheck := {
      val jar = assembly.value
      val log = streams.value.log
      val found = complaints(jar)
      found.foreach(line => log.error(line))
      if (found.nonEmpty) throw new MessageOnlyException(s"${jar.getName} is not right")
    }
  )
}
