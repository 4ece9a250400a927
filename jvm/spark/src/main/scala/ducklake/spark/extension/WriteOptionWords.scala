package ducklake.spark.extension

import ducklake.catalog.error.LakeError
import ducklake.spark.config.StatementOptions
import ducklake.spark.definition.RequestedProperties
import ducklake.spark.errors.SparkErrors
import ducklake.spark.table.DuckLakeTable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.AppendData
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.OverwriteByExpression
import org.apache.spark.sql.catalyst.plans.logical.ReplaceTableAsSelect
import org.apache.spark.sql.catalyst.plans.logical.TableSpecBase
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedTableSpec
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.TableWritePrivilege
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.util

import scala.jdk.CollectionConverters.MapHasAsJava

/** Replaces write options of Delta by Spark's own plans before Spark resolves the write.
  * `mergeSchema` becomes WITH SCHEMA EVOLUTION, and `saveAsTable` with `replaceWhere` overwrites
  * rows of the existing table. USING is taken out of CREATE OR REPLACE TABLE AS. Without this rule
  * a write refuses the options that it cannot follow.
  */
final class WriteOptionWords(session: SparkSession) extends Rule[LogicalPlan] {

  private val tables = new LakeTableNames(session)

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperators {
      case append: AppendData if mergesSchema(append.writeOptions) && isOurs(append.table) =>
        val options = append.writeOptions.filterNot { case (key, _) => isMergeSchema(key) }
        EvolvingAppend.of(append, withOptions(append.table, options), options)
      case replace: ReplaceTableAsSelect if replace.orCreate && hasCondition(replace) =>
        overwrite(replace).getOrElse(replace)
      case replace: ReplaceTableAsSelect if isOfSql(replace) => withoutFormat(replace)
    }

  /** The target of `format("ducklake")` has the options of the write too: Spark wants both equal. */
  private def withOptions(relation: NamedRelation, options: Map[String, String]): NamedRelation =
    relation match {
      case known: DataSourceV2Relation if !known.options.isEmpty =>
        known.copy(options = new CaseInsensitiveStringMap(options.asJava))
      case other => other
    }

  /** Whether the statement is text. A frame has analysed its query when it is written. */
  private def isOfSql(replace: ReplaceTableAsSelect): Boolean =
    !replace.query.analyzed && (replace.name match {
      case UnresolvedIdentifier(name, _) => tables.find(name.toVector).isDefined
      case _ => false
    })

  /** The statement without USING of the lake's own format, which does not describe the table. The
    * catalog recognizes `saveAsTable` by the format, because it always names one (decision 24).
    */
  private def withoutFormat(replace: ReplaceTableAsSelect): ReplaceTableAsSelect =
    replace.tableSpec match {
      case spec: UnresolvedTableSpec if spec.provider.exists(RequestedProperties.isOwnFormat) =>
        replace.copy(tableSpec = spec.copy(provider = None))
      case _ => replace
    }

  private def isMergeSchema(key: String): Boolean =
    key.equalsIgnoreCase(StatementOptions.MergeSchema)

  private def mergesSchema(options: Map[String, String]): Boolean =
    options.exists { case (key, value) => isMergeSchema(key) && value.equalsIgnoreCase("true") }

  private def hasCondition(replace: ReplaceTableAsSelect): Boolean =
    replace.writeOptions.keys.exists(_.equalsIgnoreCase(StatementOptions.ReplaceWhere))

  private def isOurs(relation: NamedRelation): Boolean = relation match {
    case unresolved: UnresolvedRelation =>
      tables.find(unresolved.multipartIdentifier.toVector).isDefined
    case known: DataSourceV2Relation => known.table.isInstanceOf[DuckLakeTable]
    case _ => false
  }

  /** The write to the existing table; the condition stays an option of the write. None when the
    * table does not exist, or when the statement asks for other partition keys.
    */
  private def overwrite(replace: ReplaceTableAsSelect): Option[LogicalPlan] =
    replace.name match {
      case UnresolvedIdentifier(name, _) =>
        existing(name.toVector)
          .filter(relation => sameKeys(replace, relation))
          .map { relation =>
            SparkErrors.onDriver(refuseDescription(replace.tableSpec))
            OverwriteByExpression.byName(
              relation,
              replace.query,
              Literal(true),
              replace.writeOptions,
            )
          }
      case _ => None
    }

  private def sameKeys(replace: ReplaceTableAsSelect, relation: DataSourceV2Relation): Boolean =
    replace.partitioning.isEmpty ||
      replace.partitioning.sameElements(relation.table.partitioning().toSeq)

  /** Refuses descriptions of a new table: the rows go to an existing table that does not change. */
  private def refuseDescription(spec: TableSpecBase): Unit = {
    spec.provider.foreach(RequestedProperties.check(TableCatalog.PROP_PROVIDER, _))
    val described = spec.comment.map(_ => "comment").toVector ++
      spec.collation.map(_ => "collation") ++
      spec.properties.keys.toVector.sorted.map(key => s"table property `$key`")
    described.headOption.foreach { what =>
      SparkErrors.raise(
        LakeError.InvalidSetting(
          StatementOptions.ReplaceWhere,
          s"replaces rows of the table that exists, and this write gives the table a $what too",
          "Leave it out and change the table by ALTER TABLE, or leave out the option.",
        )
      )
    }
  }

  private def existing(name: Vector[String]): Option[DataSourceV2Relation] =
    for {
      (lake, ident) <- tables.located(name)
      table <- Some(lake.loadTable(ident, privileges)).collect { case t: DuckLakeTable => t }
    } yield DataSourceV2Relation.create(table, Some(lake), Some(ident))

  private def privileges: util.Set[TableWritePrivilege] =
    util.EnumSet.of(TableWritePrivilege.INSERT, TableWritePrivilege.DELETE)
}
