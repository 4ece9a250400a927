package ducklake.spark.moving.out.delta

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import ducklake.catalog.error.LakeError
import ducklake.catalog.types.SnapshotId
import ducklake.files.io.FileFailure
import ducklake.files.io.PublishedFile
import ducklake.files.path.PathResolver
import ducklake.spark.errors.SparkErrors
import ducklake.spark.moving.out.NewestVersion
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.io.Source
import scala.util.Using

/** A data file in a version of a table, with the deletion vector it has there. */
private[delta] final case class LoggedFile(path: String, vector: Option[String])

/** A table of Delta at its newest version.
  *
  * @param version -1 for no version
  * @param checkpoint the version of the last checkpoint
  * @param files each with the action that added it
  */
private[delta] final case class DeltaState(
    version: Long,
    checkpoint: Option[Long],
    protocol: Option[JsonNode],
    metadata: Option[JsonNode],
    transaction: Option[JsonNode],
    files: Map[LoggedFile, JsonNode],
) {

  def newest: NewestVersion =
    NewestVersion(version, transaction.map(one => SnapshotId(one.path("version").asLong)))

  def isDue: Boolean = version - checkpoint.getOrElse(0L) >= DeltaCheckpoint.Interval

  /** What a checkpoint of the version has. */
  def actions: Vector[ObjectNode] = {
    val others = Vector("protocol" -> protocol, "metaData" -> metadata, "txn" -> transaction)
    others.flatMap { case (kind, found) => found.map(DeltaJson.action(kind, _)) } ++
      files.values.map(DeltaJson.action("add", _))
  }

  /** The state after the actions of later versions. */
  def after(actions: Vector[JsonNode]): DeltaState = actions.foldLeft(this)(_.after(_))

  private def after(action: JsonNode): DeltaState =
    if (action.has("add"))
      copy(files = files.updated(DeltaState.key(action.get("add")), action.get("add")))
    else if (action.has("remove")) copy(files = files - DeltaState.key(action.get("remove")))
    else if (action.has("protocol")) copy(protocol = Some(action.get("protocol")))
    else if (action.has("metaData")) copy(metadata = Some(action.get("metaData")))
    else if (action.has("txn")) copy(transaction = Some(action.get("txn")))
    else this
}

private[delta] object DeltaState {

  val none: DeltaState = DeltaState(-1L, None, None, None, None, Map.empty)

  def key(action: JsonNode): LoggedFile =
    LoggedFile(
      action.path("path").asText,
      Option(action.get("deletionVector")).map(_.path("pathOrInlineDv").asText),
    )
}

/** The log of a table of Delta: a file of JSON for each version, and checkpoints. Only exports
  * write it.
  *
  * @param folder of the table, in DuckDB's spelling, with a separator at its end
  * @param table of the lake
  *
  * Source: Delta's protocol, "Delta Log Entries".
  */
private[delta] final class DeltaLog(
    folder: String,
    table: UUID,
    name: String,
    conf: Configuration,
) {

  private val log = PathResolver.hadoopPath(s"${folder}_delta_log")
  private val checkpoints = new DeltaCheckpoint(log, name, conf)

  /** What every version of the table says of its writer. */
  val appId: String = s"ducklake.$table"

  /** The newest version, by the last checkpoint and the versions after it.
    *
    * Errors: InvalidArgument when the folder has the log of another table, or versions of other
    * writers; UnreadableFile.
    */
  def read(): DeltaState = {
    val found = listed()
    val start = found.flatMap(DeltaCheckpoint.version).maxOption.fold(DeltaState.none)(checkpointed)
    val next = start.version + 1
    found
      .filter(DeltaLog.isVersion)
      .filter(_ >= DeltaLog.file(next))
      .sorted
      .zipWithIndex
      .foldLeft(start) { case (state, (file, number)) =>
        after(state, file, next + number)
      }
  }

  private def checkpointed(version: Long): DeltaState = {
    val file = DeltaCheckpoint.file(version)
    val actions = checkpoints.read(file)
    if (!areOurs(actions)) refuseOthers(file)
    DeltaState.none.after(actions).copy(version = version, checkpoint = Some(version))
  }

  private def after(state: DeltaState, file: String, number: Long): DeltaState = {
    if (file != DeltaLog.file(number)) refuse(s"which has no version $number ${DeltaLog.Anew}")
    val actions = lines(file)
    if (!areOurs(actions)) refuse(s"whose version $number no export of $name wrote")
    state.after(actions).copy(version = number)
  }

  private def areOurs(actions: Vector[JsonNode]): Boolean =
    actions.exists(_.path("txn").path("appId").asText == appId)

  /** Writes a checkpoint of the newest version when enough versions have come after the last one. Its
    * readers need no older versions.
    *
    * Errors: UnwritableFile; UnreadableFile.
    */
  def checkpoint(newest: DeltaState): Unit =
    if (newest.isDue) checkpoints.write(newest) else repair(newest)

  /** Writes a checkpoint of the newest version when readers would look for one that is gone.
    *
    * Errors: UnwritableFile; UnreadableFile.
    */
  def repair(newest: DeltaState): Unit =
    if (checkpoints.hinted.exists(hint => !newest.checkpoint.contains(hint)))
      checkpoints.write(newest)

  /** Writes the next version. Errors: InvalidArgument when another export has written it;
    * UnwritableFile.
    */
  def write(version: Long, actions: Iterator[ObjectNode]): Unit = {
    val lines = actions.map(action => s"$action\n".getBytes(UTF_8))
    val isNew = PublishedFile.create(s"$log/${DeltaLog.file(version)}", name, lines, conf)
    if (!isNew) refuse(s"whose version $version another export wrote meanwhile; call again")
  }

  /** The files of versions and checkpoints. */
  private def listed(): Vector[String] =
    FileFailure.naming(log, name) {
      val path = new Path(log)
      val system = path.getFileSystem(conf)
      val found =
        if (system.exists(path)) system.listStatus(path).toVector.map(_.getPath.getName)
        else Vector.empty
      val isEmpty = !found.exists(file => DeltaLog.isVersion(file) || isCheckpoint(file))
      found
        .filterNot(file => file.startsWith(".") || isCheckpoint(file))
        .find(_.contains(".checkpoint."))
        .foreach(refuseOthers)
      if (isEmpty && found.contains(DeltaCheckpoint.Hint))
        refuse(s"which has no version at all ${DeltaLog.Anew}")
      found
    }

  private def isCheckpoint(file: String): Boolean = DeltaCheckpoint.version(file).nonEmpty

  private def lines(file: String): Vector[JsonNode] =
    FileFailure.naming(s"$log/$file", name) {
      val path = new Path(s"$log/$file")
      Using.resource(path.getFileSystem(conf).open(path)) { stream =>
        val texts = Source.fromInputStream(stream, UTF_8.name).getLines().filterNot(_.isBlank)
        texts.map(DeltaJson.mapper.readTree).toVector
      }
    }

  private def refuseOthers(file: String): Nothing =
    refuse(s"which another writer changed: it has `$file`")

  private def refuse(why: String): Nothing =
    SparkErrors.raise(
      LakeError.InvalidArgument("export_delta", "path", s"has the log of a table $why: `$folder`")
    )
}

private[delta] object DeltaLog {

  def file(version: Long): String = f"$version%020d.json"

  private val Anew =
    "(no reader reads it; bring the file back, or remove its folder _delta_log and " +
      "call again, which begins with version 0)"

  private def isVersion(name: String): Boolean = name.matches("""\d{20}\.json""")
}
