package ducklake.spark.extension.stream

import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.read.MetadataColumns
import ducklake.spark.read.ReadColumns
import ducklake.spark.rowlevel.PositionDelta
import ducklake.spark.sparkapi.sql.OneForm
import ducklake.spark.streaming.upsert.UpsertEpoch
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.expressions.In
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.util.V2ExpressionBuilder
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.Batch
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The rows of the table that have a key of an epoch with few rows, by one scan. It leaves out files
  * and row groups that have none of the keys by their statistics; tasks leave out the other rows.
  *
  * @param columns of the rows: those that the merge needs, and those by which it names the rows
  */
private[stream] final class KnownRows private (
    session: SparkSession,
    val columns: StructType,
    keys: Vector[String],
    scan: Batch,
) {

  private lazy val tasks: Array[InputPartition] = onDriver(scan.planInputPartitions())

  /** Whether the catalog proves that there are none. */
  def areNone: Boolean = tasks.isEmpty

  /** None when they are many.
    *
    * @param wanted the keys of the epoch
    */
  def of(wanted: Set[UnsafeRow]): Option[Vector[InternalRow]] =
    if (areNone) Some(Vector.empty)
    else {
      val search =
        KeySearch(scan.createReaderFactory(), columns, keys.map(columns.fieldIndex), wanted)
      FewRows.of(session.sparkContext.parallelize(tasks.toSeq, tasks.length).flatMap(search.rows))
    }
}

private[stream] object KnownRows {

  /** None when the rows of the epoch are many, or a key cannot be asked of the catalog: texts with
    * blanks behind them, which CHAR(n) columns have, may stand otherwise in files.
    *
    * @param operation looks for the rows in order to change them
    */
  def in(
      session: SparkSession,
      epoch: UpsertEpoch,
      rows: EpochRows,
      operation: PositionDelta,
  ): Option[KnownRows] =
    predicates(epoch, rows).map { asked =>
      val keys = epoch.upsert.keys
      val needed = (keys ++ epoch.upsert.sequence ++ new MergeRules(epoch).kept).distinct
      val all = ReadColumns.all(epoch.table)
      val columns = StructType(needed.map(all(_)) ++ hidden(operation))
      new KnownRows(session, columns, keys, onDriver(scan(operation, asked, columns)))
    }

  /** The columns by which rows are named. */
  private def hidden(operation: PositionDelta): Vector[StructField] =
    (operation.rowId() ++ operation.requiredMetadataAttributes()).toVector.flatMap { column =>
      val name = column.fieldNames.mkString
      MetadataColumns.find(name).map(found => StructField(name, found.sparkType))
    }

  private def predicates(epoch: UpsertEpoch, rows: EpochRows): Option[Vector[Predicate]] = {
    val found = epoch.upsert.keys.map(asked(epoch, rows, _))
    Option.when(found.forall(_.nonEmpty))(found.flatten)
  }

  private def asked(epoch: UpsertEpoch, rows: EpochRows, key: String): Option[Predicate] =
    for {
      column <- epoch.table.columns.find(_.name == key)
      if OneForm.has(column.dataType)
      values <- rows.fewValues(key)
      in = In(AttributeReference(key, column.dataType)(), values)
      predicate <- new V2ExpressionBuilder(in, isPredicate = true).buildPredicate()
    } yield predicate

  private def scan(
      operation: PositionDelta,
      keys: Vector[Predicate],
      columns: StructType,
  ): Batch =
    operation.newScanBuilder(CaseInsensitiveStringMap.empty()) match {
      case builder: SupportsPushDownV2Filters with SupportsPushDownRequiredColumns =>
        builder.pushPredicates(keys.toArray): Unit
        builder.pruneColumns(columns)
        builder.build().toBatch
      case other => throw new IllegalStateException(s"unexpected builder ${other.getClass}")
    }
}
