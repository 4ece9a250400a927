package ducklake.spark.procedures.moving

import ducklake.catalog.LakeSnapshot
import ducklake.spark.metadata.LocalResult
import ducklake.spark.moving.MoveLine
import ducklake.spark.moving.MoveMode
import ducklake.spark.moving.MoveRequest
import ducklake.spark.moving.MoveTable
import ducklake.spark.moving.MovedVersions
import ducklake.spark.moving.SharedFiles
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter

/** Makes a table of another format a table of the lake. */
abstract class MoveProcedure(session: SessionLake, procedure: String, sentence: String)
    extends LakeProcedure(procedure, sentence) {

  /** What the move has done, or would do. */
  protected def move(tables: MoveTable, call: MoveCall): Vector[MoveLine]

  override def parameters(): Array[ProcedureParameter] = MoveCall.parameters

  override def result(arguments: InternalRow): LocalResult = {
    val call = MoveCall.of(session.base(), new Arguments(procedure, arguments))
    val lines = NewerParquet.needed(procedure)(move(new MoveTable(session), call))
    new LocalResult(MoveLine.schema, () => lines.map(_.values))
  }
}

/** The arguments that all moves share.
  *
  * @param all with those of one format alone, which follow
  */
final case class MoveCall(request: MoveRequest, all: Arguments) {

  /** The request of a call for a source that has a history, and that says which files it shares.
    *
    * @param index of the argument `history`; `allow_shared_files` follows it
    *
    * Errors: InvalidArgument when rows of a history should be compared.
    */
  private[moving] def ofVersions(index: Int): MoveRequest = {
    val asked = withHistory(index)
    if (all.isTrue(index + 1)) asked.copy(shared = SharedFiles.Taken) else asked
  }

  private def withHistory(index: Int): MoveRequest =
    (all.isTrue(index), request.mode) match {
      case (false, _) => request
      case (true, MoveMode.CheckedMove) =>
        all.fail("checksum", "is of a move without history. Leave one of both out")
      case (true, _) => request.copy(versions = MovedVersions.All)
    }
}

object MoveCall {

  val parameters: Array[ProcedureParameter] = Array(
    Arguments.required("source"),
    Arguments.required("table"),
    Arguments.optional("schema"),
    Arguments.flag("dry_run"),
    Arguments.flag("checksum"),
  )

  private[moving] val ofVersions: Array[ProcedureParameter] =
    Array(Arguments.flag("history"), Arguments.flag("allow_shared_files"))

  private[moving] def of(base: LakeSnapshot, supplied: Arguments): MoveCall =
    MoveCall(
      MoveRequest(
        base,
        supplied.required(0, "source"),
        target(base, supplied.required(1, "table"), supplied.text(2)),
        MovedVersions.Current,
        mode(supplied),
      ),
      supplied,
    )

  private def mode(supplied: Arguments): MoveMode =
    (supplied.isTrue(3), supplied.isTrue(4)) match {
      case (true, true) =>
        supplied.fail("checksum", "is of a move: a dry run reads no rows. Leave one of both out")
      case (true, false) => MoveMode.DryRun
      case (false, true) => MoveMode.CheckedMove
      case (false, false) => MoveMode.Move
    }

  /** Without a schema, the name may have that of a schema before it. */
  private def target(base: LakeSnapshot, table: String, schema: Option[String]): Identifier = {
    val dots = if (schema.isEmpty) table.indices.filter(table(_) == '.') else Vector.empty
    val split = dots.iterator
      .flatMap(dot => Namespaces.ofText(base, table.take(dot)).map(_ -> table.drop(dot + 1)))
      .nextOption()
    split match {
      case Some((found, name)) => Identifier.of(found.path.toArray, name)
      case None =>
        val named = schema.getOrElse(Namespaces.Default)
        val path = Namespaces.ofText(base, named).fold(Vector(named))(_.path)
        Identifier.of(path.toArray, table)
    }
  }
}
