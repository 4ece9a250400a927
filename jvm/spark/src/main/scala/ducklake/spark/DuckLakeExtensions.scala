package ducklake.spark

import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.extension.AlignSnapshots
import ducklake.spark.extension.AssignedHiddenColumns
import ducklake.spark.extension.DescribedTables
import ducklake.spark.extension.DuckDbSyntax
import ducklake.spark.extension.DuplicateColumnNames
import ducklake.spark.extension.EvolvingMerge
import ducklake.spark.extension.FilledInserts
import ducklake.spark.extension.HiddenColumnsOfMerge
import ducklake.spark.extension.HiddenColumnsRead
import ducklake.spark.extension.LakeViews
import ducklake.spark.extension.OneRowLevelScan
import ducklake.spark.extension.RewrittenStatements
import ducklake.spark.extension.SnapshotOptions
import ducklake.spark.extension.TableFunctions
import ducklake.spark.extension.UnknownProcedures
import ducklake.spark.extension.UnknownTableFunctions
import ducklake.spark.extension.WriteOptionWords
import ducklake.spark.extension.advice.NarrowerTypes
import ducklake.spark.extension.frame.ColumnIdsRule
import ducklake.spark.extension.frame.MergeTargets
import ducklake.spark.extension.merge.MatchableRowsRule
import ducklake.spark.extension.merge.PaddedRows
import ducklake.spark.extension.merge.PaddedTargets
import ducklake.spark.extension.merge.SerializableMerge
import ducklake.spark.extension.optimizer.DecidedAggregates
import ducklake.spark.extension.optimizer.ExtractedVariants
import ducklake.spark.extension.optimizer.FilteredTops
import ducklake.spark.extension.optimizer.LateFilters
import ducklake.spark.extension.optimizer.MergedSubplans
import ducklake.spark.extension.retry.ParameterizedRetries
import ducklake.spark.extension.stream.StreamedScans
import ducklake.spark.extension.stream.StreamedTexts
import ducklake.spark.extension.stream.UpdatingStreams
import ducklake.spark.extension.stream.UpsertingStreams
import ducklake.spark.extension.written.CachedRows
import ducklake.spark.extension.written.PastRelations
import ducklake.spark.extension.written.StatedRows
import ducklake.spark.extension.written.TargetOptions
import ducklake.spark.sparkapi.catalog.ScanMerging
import org.apache.spark.sql.SparkSessionExtensions

/** The optional session extension. It adds DuckDB's syntax and table functions, and makes a query
  * read all tables of a lake at one snapshot.
  *
  * It works beside other extensions: statements and plans that it does not know pass through
  * unchanged.
  */
final class DuckLakeExtensions extends (SparkSessionExtensions => Unit) {

  override def apply(extensions: SparkSessionExtensions): Unit = {
    onDriver(ServedSpark.check())
    extensions.injectParser((session, parser) => new DuckDbSyntax(session, parser))
    extensions.injectHintResolutionRule(_ => MergeTargets)
    ParameterizedRetries.addTo(extensions)
    extensions.injectHintResolutionRule(session => new SnapshotOptions(session))
    LakeViews.addTo(extensions)
    EvolvingMerge.addTo(extensions)
    FilledInserts.addTo(extensions)
    extensions.injectHintResolutionRule(session => new WriteOptionWords(session))
    extensions.injectHintResolutionRule(_ => PastRelations)
    extensions.injectHintResolutionRule(session => new TargetOptions(session))
    extensions.injectHintResolutionRule(session => new AssignedHiddenColumns(session))
    extensions.injectHintResolutionRule(session => new UnknownProcedures(session))
    extensions.injectHintResolutionRule(_ => UnknownTableFunctions)
    extensions.injectResolutionRule(session => new AssignedHiddenColumns(session))
    extensions.injectResolutionRule(_ => HiddenColumnsOfMerge)
    extensions.injectResolutionRule(_ => DuplicateColumnNames)
    extensions.injectResolutionRule(_ => SerializableMerge)
    extensions.injectResolutionRule(_ => StreamedTexts)
    extensions.injectResolutionRule(_ => TargetOptions.OfWrite)
    extensions.injectPostHocResolutionRule(_ => PaddedTargets)
    extensions.injectPostHocResolutionRule(_ => PaddedRows)
    RewrittenStatements.addTo(extensions)
    extensions.injectPostHocResolutionRule(_ => HiddenColumnsRead)
    extensions.injectPostHocResolutionRule(_ => MatchableRowsRule)
    extensions.injectPostHocResolutionRule(_ => DescribedTables)
    extensions.injectPostHocResolutionRule(_ => ColumnIdsRule)
    extensions.injectPostHocResolutionRule(_ => NarrowerTypes)
    extensions.injectPostHocResolutionRule(_ => UpdatingStreams)
    extensions.injectOptimizerRule(_ => OneRowLevelScan)
    extensions.injectOptimizerRule(_ => StreamedScans)
    if (ScanMerging.capability.isEmpty) extensions.injectPreCBORule(_ => MergedSubplans)
    extensions.injectPlannerStrategy(_ => DecidedAggregates)
    extensions.injectPlannerStrategy(_ => FilteredTops)
    extensions.injectPlannerStrategy(_ => LateFilters)
    extensions.injectPlannerStrategy(_ => ExtractedVariants)
    extensions.injectPlannerStrategy(_ => UpsertingStreams)
    extensions.injectColumnar(_ => StatedRows)
    extensions.injectPlanNormalizationRule(_ => AlignSnapshots)
    extensions.injectPlanNormalizationRule(session => new CachedRows(session))
    TableFunctions.all.foreach(extensions.injectTableFunction)
  }
}
