package ducklake.spark.moving.out.delta

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import ducklake.catalog.model.DataFile
import ducklake.catalog.types.DataFileId
import ducklake.files.delete.DeltaVector
import ducklake.spark.metadata.BuildVersion
import ducklake.spark.moving.ExportMark
import ducklake.spark.moving.out.ExportedTable

import scala.jdk.CollectionConverters.IteratorHasAsScala

/** The next version of a table of Delta: what it changes of the last one.
  *
  * @param folder of the table, in DuckDB's spelling, with a separator at its end
  * @param millis the time of the version
  */
private[delta] final class DeltaVersion(
    exported: ExportedTable,
    plan: DeltaPlan,
    vectors: Map[DataFileId, DeltaVector],
    last: DeltaState,
    folder: String,
    millis: Long,
) {
  private val columns = exported.table.columns
  private val statistics = new DeltaStatistics(plan, columns)

  private val wanted: Map[LoggedFile, DataFile] = exported.files.map { file =>
    val vector = vectors.get(file.id).map(found => Z85.of(found.id))
    LoggedFile(DeltaPath.of(folder, file.path), vector) -> file
  }.toMap

  val added: Vector[DataFile] =
    wanted.iterator
      .filterNot(one => last.files.contains(one._1))
      .map(_._2)
      .toVector
      .sortBy(_.id.value)

  private val gone = last.files.iterator.filterNot(one => wanted.contains(one._1)).toVector

  def removed: Int = gone.size

  private val newProtocol = Some(protocol).filterNot(last.protocol.contains)
  private val newMetadata = Some(metadata).filterNot(last.metadata.contains)

  def changesAnything: Boolean =
    added.nonEmpty || gone.nonEmpty || newProtocol.nonEmpty || newMetadata.nonEmpty

  def actions(appId: String): Iterator[ObjectNode] =
    Iterator(DeltaJson.action("commitInfo", commitInfo)) ++
      newProtocol.map(DeltaJson.action("protocol", _)) ++ newMetadata.map(
        DeltaJson.action("metaData", _)
      ) ++
      Iterator(DeltaJson.action("txn", transaction(appId))) ++
      gone.iterator.map(one => DeltaJson.action("remove", remove(one._2))) ++
      added.iterator.map(file => DeltaJson.action("add", add(file)))

  private def commitInfo: ObjectNode = {
    val node = DeltaJson.empty().put("timestamp", millis).put("operation", "EXPORT")
    node.putObject("operationParameters").put("snapshot", exported.snapshot.id.value.toString)
    node.put("engineInfo", s"ducklake-spark/${BuildVersion.text}")
  }

  /** The snapshot, by which the version is recognized as ours. */
  private def transaction(appId: String): ObjectNode =
    DeltaJson
      .empty()
      .put("appId", appId)
      .put("version", exported.snapshot.id.value)
      .put("lastUpdated", millis)

  /** What readers must know stays, once a version needed it: readers of the log need it. */
  private def protocol: ObjectNode = {
    val before = last.protocol.map(_.path("readerFeatures")).filter(_.isArray)
    val known = before.fold(Vector.empty[String])(_.elements.asScala.map(_.asText).toVector)
    val needed = Vector(
      Option.when(plan.mapping != ColumnMapping.Plain)("columnMapping"),
      Option.when(vectors.nonEmpty)("deletionVectors"),
      Option.when(plan.types(DeltaTypes.TimestampNtz))("timestampNtz"),
      Option.when(plan.widened.nonEmpty)("typeWidening"),
    )
    val readers = (known ++ needed.flatten).distinct.sorted
    val node = DeltaJson.empty()
    node.put("minReaderVersion", if (readers.isEmpty) 1 else DeltaVersion.ReaderFeatures)
    node.put("minWriterVersion", DeltaVersion.WriterFeatures)
    if (readers.nonEmpty) readers.foreach(node.putArray("readerFeatures").add)
    (readers :+ ExportMark.Feature).foreach(node.withArrayProperty("writerFeatures").add)
    node
  }

  private def metadata: ObjectNode = {
    val schema = new DeltaSchema(plan)
    val node = DeltaJson.empty().put("id", exported.table.uuid.toString)
    node.put("name", exported.table.name)
    exported.table.comment.foreach(node.put("description", _))
    node.putObject("format").put("provider", "parquet").putObject("options")
    node.put("schemaString", schema.of(columns)).putArray("partitionColumns")
    val settings = node.putObject("configuration")
    DeltaVersion.modeOf(plan.mapping).foreach { mode =>
      settings.put("delta.columnMapping.mode", mode)
      settings.put("delta.columnMapping.maxColumnId", schema.maxColumnId(columns).toString)
    }
    node
  }

  private def add(file: DataFile): ObjectNode = {
    val node = DeltaJson.empty().put("path", DeltaPath.of(folder, file.path))
    node.putObject("partitionValues")
    node.put("size", file.sizeBytes).put("modificationTime", millis).put("dataChange", true)
    val vector = vectors.get(file.id)
    val known = exported.statistics.getOrElse(file.id, Map.empty)
    node.put("stats", statistics.of(file.recordCount, vector.nonEmpty, known))
    vector.foreach { found =>
      node
        .putObject("deletionVector")
        .put("storageType", "u")
        .put("pathOrInlineDv", Z85.of(found.id))
        .put("offset", found.offset)
        .put("sizeInBytes", found.sizeBytes)
        .put("cardinality", found.cardinality)
    }
    node
  }

  private def remove(added: JsonNode): ObjectNode = {
    val node = DeltaJson.empty().put("path", added.path("path").asText)
    node.put("deletionTimestamp", millis).put("dataChange", true).put("extendedFileMetadata", true)
    node.putObject("partitionValues")
    node.put("size", added.path("size").asLong)
    Option(added.get("deletionVector")).foreach(node.set[JsonNode]("deletionVector", _))
    node
  }
}

private[delta] object DeltaVersion {

  /** The version of the protocol from which on readers know lists of features. */
  private val ReaderFeatures = 3

  /** The same for writers. */
  private val WriterFeatures = 7

  /** The value of the table property. */
  def modeOf(mapping: ColumnMapping): Option[String] = mapping match {
    case ColumnMapping.Plain => None
    case ColumnMapping.ByName => Some("name")
    case ColumnMapping.ById => Some("id")
  }

  /** The mapping of a version. */
  def mappingOf(state: DeltaState): ColumnMapping =
    state.metadata.map(_.path("configuration").path("delta.columnMapping.mode").asText) match {
      case Some("name") => ColumnMapping.ByName
      case Some("id") => ColumnMapping.ById
      case _ => ColumnMapping.Plain
    }
}
