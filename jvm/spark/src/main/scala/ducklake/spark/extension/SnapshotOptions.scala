package ducklake.spark.extension

import ducklake.catalog.error.LakeError
import ducklake.spark.changes.FeedKind
import ducklake.spark.changes.FeedOptions
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors
import ducklake.spark.read.ReadOptions
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.classic
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

import scala.jdk.CollectionConverters.SetHasAsScala

/** Replaces read options that name a snapshot by Spark's own options before Spark loads the table.
  * So these options also work at a snapshot where the table had other columns. A change feed that
  * names only its end snapshot has the columns of the end, as in DuckDB.
  *
  * A relation with options is resolved alone. Spark treats two relations of one query as the same
  * when they have the same name and snapshot, and the second would get the options of the first.
  */
final class SnapshotOptions(session: SparkSession) extends Rule[LogicalPlan] {
  import SnapshotOptions.IsAlone

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperators {
      case relation: UnresolvedRelation
          if !relation.options.isEmpty && relation.getTagValue(IsAlone).isEmpty &&
            tables.find(inFull(relation)).isDefined =>
        SparkErrors.onDriver(refuseOfView(relation))
        SparkErrors.onDriver(refuseOfStream(relation))
        val replaced = SparkErrors.onDriver(ReadOptions.named(relation.options)) match {
          case Some(name) => relation.copy(options = withSparksOptions(relation.options, name))
          case None
              if !relation.isStreaming &&
                FeedKind.ofTable(relation.multipartIdentifier.last).isDefined =>
            relation.copy(options = withEndOfFeed(relation.options))
          case None => relation
        }
        if (isWritten(relation)) replaced else resolvedAlone(replaced)
    }

  /** The relation as Spark resolves it; when it cannot, the outer query reports why. */
  private def resolvedAlone(relation: UnresolvedRelation): LogicalPlan = {
    relation.setTagValue(IsAlone, ())
    val alone = relation.copy(multipartIdentifier = inFull(relation))
    alone.setTagValue(IsAlone, ())
    session match {
      case known: classic.SparkSession =>
        val analyzed = known.sessionState.analyzer.execute(alone)
        if (analyzed.resolved) analyzed else relation
      case _ => relation
    }
  }

  private def inFull(relation: UnresolvedRelation): Vector[String] =
    tables.inFull(relation.multipartIdentifier.toVector)

  /** Refuses options of a view: Spark drops them when it reads one. A writing statement has an
    * option of Spark here, and is refused because of the view itself.
    */
  private def refuseOfView(relation: UnresolvedRelation): Unit = {
    val options = relation.options.asCaseSensitiveMap().keySet().asScala.toVector.sorted
    if (!isWritten(relation) && tables.isView(relation.multipartIdentifier.toVector)) {
      val name = relation.multipartIdentifier.mkString(".")
      SparkErrors.raise(
        LakeError.InvalidSetting(
          options.head,
          s"is not obeyed by the view `$name`",
          "Views take no options. Name the snapshot at the tables that the view reads, or pin a " +
            "catalog to it by `snapshot-version`.",
        )
      )
    }
  }

  /** Refuses options that name the snapshot of a stream: they are an internal error of Spark. */
  private def refuseOfStream(relation: UnresolvedRelation): Unit =
    if (relation.isStreaming)
      StatementOptions.checkStream(StatementOptions.reads.filter(relation.options.containsKey))

  private def isWritten(relation: UnresolvedRelation): Boolean =
    relation.options.containsKey(UnresolvedRelation.REQUIRED_WRITE_PRIVILEGES)

  private def withEndOfFeed(options: CaseInsensitiveStringMap): CaseInsensitiveStringMap =
    if (StatementOptions.sparkSnapshots.exists(options.containsKey)) options
    else {
      val named = FeedOptions.ends.collectFirst {
        case (end, spark) if options.containsKey(end) => spark -> options.get(end)
      }
      named.fold(options) { case (name, value) =>
        val more = new util.HashMap[String, String](options.asCaseSensitiveMap())
        more.put(name, value)
        new CaseInsensitiveStringMap(more)
      }
    }

  private def withSparksOptions(
      options: CaseInsensitiveStringMap,
      name: String,
  ): CaseInsensitiveStringMap = {
    val value = options.get(name)
    val others = new util.HashMap[String, String](options.asCaseSensitiveMap())
    others.keySet().removeIf(_.equalsIgnoreCase(name))
    val (key, text) = ReadOptions.asSparks(name, value)
    others.put(key, text)
    new CaseInsensitiveStringMap(others)
  }
}

private object SnapshotOptions {
  private val IsAlone = TreeNodeTag[Unit]("ducklake_resolved_alone")
}
