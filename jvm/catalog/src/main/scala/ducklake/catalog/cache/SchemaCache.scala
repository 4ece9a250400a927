package ducklake.catalog.cache

import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.model.RelationName
import ducklake.catalog.types.SchemaId

/** Caches the schemas, tables and views of a lake by schema version. Every change of them raises
  * the schema version (format 4.3), so within one history of the lake an entry never becomes stale.
  */
final class SchemaCache {
  import SchemaCache.*

  private val entries = new LakeScopedCache(ofProcess)

  def clear(): Unit = entries.clear()

  def schemas(schemaKey: SchemaKey)(read: => Vector[LakeSchema]): Vector[LakeSchema] =
    entries.find(Key(schemaKey, Part.Schemas)) match {
      case Some(Entry.Schemas(found)) => found
      case _ => keep(Key(schemaKey, Part.Schemas), read)(Entry.Schemas(_))
    }

  def relations(schemaKey: SchemaKey, schema: SchemaId)(
      read: => Vector[RelationName]
  ): Vector[RelationName] =
    entries.find(Key(schemaKey, Part.Relations(schema))) match {
      case Some(Entry.Relations(found)) => found
      case _ => keep(Key(schemaKey, Part.Relations(schema)), read)(Entry.Relations(_))
    }

  def table(schemaKey: SchemaKey, schema: SchemaId, name: String)(
      read: => Option[LakeTable]
  ): Option[LakeTable] =
    entries.find(Key(schemaKey, Part.Table(schema, name))) match {
      case Some(Entry.Table(found)) => found
      case _ => keep(Key(schemaKey, Part.Table(schema, name)), read)(Entry.Table(_))
    }

  def views(schemaKey: SchemaKey)(read: => Vector[LakeView]): Vector[LakeView] =
    entries.find(Key(schemaKey, Part.Views)) match {
      case Some(Entry.Views(found)) => found
      case _ => keep(Key(schemaKey, Part.Views), read)(Entry.Views(_))
    }

  private def keep[A](key: Key, value: A)(toEntry: A => Entry): A = {
    entries.put(key, toEntry(value))
    value
  }
}

/** A lake, and a schema version of the lake. */
final case class SchemaKey(lake: LakeIdentity, schemaVersion: Long)

/** Distinguishes a lake from another lake that is later found at the same address. It is part of
  * the key of every cache entry.
  *
  * @param firstSchema the UUID of the lake's oldest schema
  * @param history the number that [[LakeHistory]] gave the lake; it changes when the lake was
  *   restored from a backup
  */
final case class LakeIdentity(firstSchema: String, storedDataPath: String, history: Long)

private object SchemaCache {

  /** Limit of the names and columns that all lakes of this process cache together. An entry takes
    * about 100 bytes, so the limit is a sixteenth of the heap, and 50 MB at most.
    */
  private val WeightLimit = (Runtime.getRuntime.maxMemory / 1600).min(500000L)

  private val ofProcess = new BoundedCache[(AnyRef, Key), Entry](WeightLimit, _.weight)

  private final case class Key(schemaKey: SchemaKey, part: Part)

  private sealed trait Part

  private object Part {
    case object Schemas extends Part
    case object Views extends Part
    final case class Relations(schema: SchemaId) extends Part
    final case class Table(schema: SchemaId, name: String) extends Part
  }

  private sealed trait Entry {
    def weight: Long
  }

  private object Entry {
    final case class Schemas(found: Vector[LakeSchema]) extends Entry {
      def weight: Long = 4L * found.size + 1
    }
    final case class Relations(found: Vector[RelationName]) extends Entry {
      def weight: Long = found.size.toLong + 1
    }
    final case class Table(found: Option[LakeTable]) extends Entry {
      def weight: Long = found.fold(1L)(table => 10L + 5L * table.columns.size)
    }
    final case class Views(found: Vector[LakeView]) extends Entry {
      def weight: Long = 20L * found.size + 1
    }
  }
}
