package ducklake.spark.procedures

import ducklake.spark.changes.FeedKind
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.types.StringType

/** The procedures of a lake, in its schema `system`. They are also found without the schema. */
final class Procedures(session: SessionLake) {

  private val all: Vector[UnboundProcedure] =
    LakeProcedure.ofWholeLake(session) ++ LakeChange.ofTables(session) ++ Vector(
      new ListFilesProcedure(session),
      new SetOption(session),
      new AddDataFiles(session, StringType),
      new FlushInlinedData(session),
      new SetCommitMessage(session),
    ) ++ FeedKind.all.map(new ChangeFeedProcedure(session, _))

  def load(ident: Identifier): UnboundProcedure = {
    val isOurs = ident.namespace() match {
      case Array() => true
      case Array(system) => system.equalsIgnoreCase(Namespaces.System)
      case _ => false
    }
    all
      .find(p => isOurs && p.name().equalsIgnoreCase(ident.name()))
      .getOrElse(throw new NoSuchFunctionException(ident))
  }

  def list(namespace: Array[String]): Array[Identifier] =
    namespace match {
      case Array() => named
      case Array(system) if system.equalsIgnoreCase(Namespaces.System) => named
      case _ => Array.empty
    }

  private def named: Array[Identifier] =
    all.map(p => Identifier.of(Array(Namespaces.System), p.name())).toArray
}
