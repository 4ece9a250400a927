package ducklake.spark.moving.out.delta

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

/** JSON of Delta's log. */
private[delta] object DeltaJson {

  val mapper: ObjectMapper = new ObjectMapper

  def empty(): ObjectNode = mapper.createObjectNode()

  def action(kind: String, content: JsonNode): ObjectNode = empty().set[ObjectNode](kind, content)
}
