package ducklake.spark.moving.out.delta

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.BooleanNode
import com.fasterxml.jackson.databind.node.IntNode
import com.fasterxml.jackson.databind.node.LongNode
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.node.TextNode
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation.MapLogicalTypeAnnotation
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.MessageTypeParser
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.Type

import scala.jdk.CollectionConverters.IteratorHasAsScala
import scala.jdk.CollectionConverters.ListHasAsScala
import scala.jdk.CollectionConverters.SetHasAsScala

/** The actions of a checkpoint as rows of Parquet, and back. An action is an object with one field, its
  * kind; a field that is absent is NULL.
  *
  * Source: Delta's protocol, "Checkpoint Schema".
  */
private[delta] object CheckpointRows {

  /** Without files that were removed: only VACUUM looks for them, and no writer may do that here. The
    * column `remove` is there, because readers ask for it.
    */
  val schema: MessageType = MessageTypeParser.parseMessageType(
    """message checkpoint {
      |  optional group txn {
      |    optional binary appId (STRING);
      |    optional int64 version;
      |    optional int64 lastUpdated;
      |  }
      |  optional group add {
      |    optional binary path (STRING);
      |    optional group partitionValues (MAP) {
      |      repeated group key_value { required binary key (STRING); optional binary value (STRING); }
      |    }
      |    optional int64 size;
      |    optional int64 modificationTime;
      |    optional boolean dataChange;
      |    optional binary stats (STRING);
      |    optional group deletionVector {
      |      optional binary storageType (STRING);
      |      optional binary pathOrInlineDv (STRING);
      |      optional int32 offset;
      |      optional int32 sizeInBytes;
      |      optional int64 cardinality;
      |    }
      |  }
      |  optional group remove {
      |    optional binary path (STRING);
      |    optional int64 deletionTimestamp;
      |    optional boolean dataChange;
      |  }
      |  optional group metaData {
      |    optional binary id (STRING);
      |    optional binary name (STRING);
      |    optional binary description (STRING);
      |    optional group format {
      |      optional binary provider (STRING);
      |      optional group options (MAP) {
      |        repeated group key_value { required binary key (STRING); optional binary value (STRING); }
      |      }
      |    }
      |    optional binary schemaString (STRING);
      |    optional group partitionColumns (LIST) {
      |      repeated group list { optional binary element (STRING); }
      |    }
      |    optional group configuration (MAP) {
      |      repeated group key_value { required binary key (STRING); optional binary value (STRING); }
      |    }
      |  }
      |  optional group protocol {
      |    optional int32 minReaderVersion;
      |    optional int32 minWriterVersion;
      |    optional group readerFeatures (LIST) {
      |      repeated group list { optional binary element (STRING); }
      |    }
      |    optional group writerFeatures (LIST) {
      |      repeated group list { optional binary element (STRING); }
      |    }
      |  }
      |}""".stripMargin
  )

  def row(action: JsonNode): Group = {
    val group = new SimpleGroup(schema)
    fill(group, action)
    group
  }

  def action(row: Group): ObjectNode = {
    val node = DeltaJson.empty()
    row.getType.getFields.asScala
      .filter(field => row.getFieldRepetitionCount(field.getName) > 0)
      .foreach(field => node.set[JsonNode](field.getName, value(row, field)))
    node
  }

  private def fill(group: Group, node: JsonNode): Unit =
    group.getType.getFields.asScala.foreach { field =>
      Option(node.get(field.getName)).foreach(put(group, field, _))
    }

  private def put(group: Group, field: Type, value: JsonNode): Unit =
    if (field.isPrimitive) putLeaf(group, field, value)
    else {
      val part = group.addGroup(field.getName)
      field.getLogicalTypeAnnotation match {
        case _: MapLogicalTypeAnnotation =>
          value.properties.asScala.foreach { entry =>
            val pair = part.addGroup(0).append("key", entry.getKey)
            if (!entry.getValue.isNull) pair.append("value", entry.getValue.asText): Unit
          }
        case _: ListLogicalTypeAnnotation =>
          value.elements.asScala.foreach { element =>
            part.addGroup(0).append("element", element.asText): Unit
          }
        case _ => fill(part, value)
      }
    }

  private def putLeaf(group: Group, field: Type, value: JsonNode): Unit =
    field.asPrimitiveType.getPrimitiveTypeName match {
      case PrimitiveTypeName.INT64 => group.add(field.getName, value.asLong)
      case PrimitiveTypeName.INT32 => group.add(field.getName, value.asInt)
      case PrimitiveTypeName.BOOLEAN => group.add(field.getName, value.asBoolean)
      case _ => group.add(field.getName, value.asText)
    }

  private def value(group: Group, field: Type): JsonNode =
    if (field.isPrimitive) leaf(group, field)
    else {
      val part = group.getGroup(field.getName, 0)
      def parts: Iterator[Group] =
        Iterator.range(0, part.getFieldRepetitionCount(0)).map(part.getGroup(0, _))
      field.getLogicalTypeAnnotation match {
        case _: MapLogicalTypeAnnotation =>
          val node = DeltaJson.empty()
          parts.foreach { pair =>
            val isNull = pair.getFieldRepetitionCount("value") == 0
            node.put(pair.getString("key", 0), if (isNull) null else pair.getString("value", 0))
          }
          node
        case _: ListLogicalTypeAnnotation =>
          val node = DeltaJson.mapper.createArrayNode()
          parts.foreach(each => node.add(each.getString("element", 0)))
          node
        case _ => action(part)
      }
    }

  private def leaf(group: Group, field: Type): JsonNode =
    field.asPrimitiveType.getPrimitiveTypeName match {
      case PrimitiveTypeName.INT64 => LongNode.valueOf(group.getLong(field.getName, 0))
      case PrimitiveTypeName.INT32 => IntNode.valueOf(group.getInteger(field.getName, 0))
      case PrimitiveTypeName.BOOLEAN => BooleanNode.valueOf(group.getBoolean(field.getName, 0))
      case _ => TextNode.valueOf(group.getString(field.getName, 0))
    }
}
