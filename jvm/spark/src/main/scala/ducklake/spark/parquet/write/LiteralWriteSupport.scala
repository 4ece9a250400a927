package ducklake.spark.parquet.write

import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.errors.ValueSubject
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext
import org.apache.parquet.io.api.Binary
import org.apache.parquet.io.api.RecordConsumer
import org.apache.spark.SPARK_VERSION_SHORT

import java.util

import scala.collection.immutable.ArraySeq

/** Writes rows of literals in the schema of [[FileSchemaBuilder]]. */
private[write] final class LiteralWriteSupport(columns: Vector[Column])
    extends WriteSupport[Vector[Literal]] {
  import LiteralWriteSupport.field

  // Parquet's library sets the consumer before the first row.
  private var consumer: Option[RecordConsumer] = None

  /** The file's metadata contains Spark's version. Without it Spark reads dates by the rules of its
    * oldest versions.
    */
  override def init(conf: Configuration): WriteContext =
    new WriteContext(
      FileSchemaBuilder.message(columns),
      util.Map.of("org.apache.spark.version", SPARK_VERSION_SHORT),
    )

  override def prepareForWrite(target: RecordConsumer): Unit = consumer = Some(target)

  override def write(values: Vector[Literal]): Unit = consumer.foreach { out =>
    out.startMessage()
    values.indices.foreach(at => field(out, columns(at).name, at, values(at), columns(at)))
    out.endMessage()
  }
}

private object LiteralWriteSupport {

  /** Writes a field. For NULL the field is left out. */
  def field(out: RecordConsumer, name: String, at: Int, value: Literal, column: Column): Unit =
    if (value != Literal.Null) {
      out.startField(name, at)
      put(out, value, column)
      out.endField(name, at)
    }

  private def put(out: RecordConsumer, value: Literal, column: Column): Unit =
    (value, column.dataType) match {
      case (Literal.ListValue(items), LakeType.ListType) => list(out, items, column.children.head)
      case (Literal.MapValue(entries), LakeType.MapType) =>
        val Vector(key, content) = column.children: @unchecked
        map(out, entries, key, content)
      case (Literal.StructValue(fields), LakeType.StructType) =>
        group(out) {
          fields.indices.foreach { at =>
            val child = column.children(at)
            field(out, child.name, at, fields(at), child)
          }
        }
      case (Literal.Variant(metadata, content), LakeType.Variant) =>
        group(out) {
          bytes(out, "value", 0, content)
          bytes(out, "metadata", 1, metadata)
        }
      case (_, primitive: LakeType.Primitive) =>
        LiteralLeaf.write(out, value, primitive, ValueSubject(column.name, primitive))
      case _ =>
        ValueSubject(column.name, column.dataType).refuse("a value", "it is not of the type")
    }

  private def list(out: RecordConsumer, items: Vector[Literal], element: Column): Unit =
    group(out)(repeated(out, "list", items)(field(out, "element", 0, _, element)))

  private def map(
      out: RecordConsumer,
      entries: Vector[(Literal, Literal)],
      key: Column,
      content: Column,
  ): Unit =
    group(out)(repeated(out, "key_value", entries) { entry =>
      field(out, "key", 0, entry._1, key)
      field(out, "value", 1, entry._2, content)
    })

  private def repeated[A](out: RecordConsumer, name: String, items: Vector[A])(
      each: A => Unit
  ): Unit =
    if (items.nonEmpty) {
      out.startField(name, 0)
      items.foreach(item => group(out)(each(item)))
      out.endField(name, 0)
    }

  private def group(out: RecordConsumer)(fields: => Unit): Unit = {
    out.startGroup()
    fields
    out.endGroup()
  }

  private def bytes(out: RecordConsumer, name: String, at: Int, content: ArraySeq[Byte]): Unit = {
    out.startField(name, at)
    out.addBinary(Binary.fromConstantByteArray(content.toArray))
    out.endField(name, at)
  }
}
