package ducklake.spark.procedures

import ducklake.catalog.error.LakeError
import ducklake.catalog.listing.ChangeBound
import ducklake.spark.changes.ChangeFeedTable
import ducklake.spark.changes.FeedKind
import ducklake.spark.ddl.TableName
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.catalog.TableQueries
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

import java.util

/** A change feed as a procedure, for small feeds: the result travels through the driver. Source:
  * jvm/docs/procedures.md.
  */
final class ChangeFeedProcedure(session: SessionLake, kind: FeedKind) extends UnboundProcedure {

  override def name(): String = kind.functionName

  override def description(): String = ChangeFeedProcedure.description(kind)

  /** The parameters that match the arguments: the schema may be left out, and the ends are
    * snapshots or timestamps.
    */
  override def bind(inputType: StructType): BoundProcedure = onDriver {
    val byName = inputType.fields.toVector.filter(isNamed)
    val hasSchema = FeedArguments.hasSchema(inputType.length, byName.map(_.name))
    val schema = Option.when(hasSchema)("schema_name")
    val names = schema.toVector ++ Vector("table_name", "start_snapshot", "end_snapshot")
    val types = names.zipWithIndex.map { case (parameter, index) =>
      val supplied = byName
        .find(_.name.equalsIgnoreCase(parameter))
        .orElse(inputType.fields.lift(index).filterNot(isNamed))
      if (parameter.endsWith("_snapshot")) supplied.fold[DataType](LongType)(boundType)
      else StringType
    }
    new BoundChangeFeed(session, kind, names.zip(types))
  }

  private def boundType(field: StructField): DataType = FeedBounds.typeOf(field.dataType)

  private def isNamed(field: StructField): Boolean =
    field.metadata.contains(ProcedureParameter.BY_NAME_METADATA_KEY)
}

object ChangeFeedProcedure {

  /** The largest number of rows of a result. */
  val MostRows: Int = 100000

  def description(kind: FeedKind): String = kind match {
    case FeedKind.Changes | FeedKind.Changelog(_, _, _) | FeedKind.DeltaChanges =>
      "Rows that snapshots inserted, deleted and updated"
    case FeedKind.Insertions | FeedKind.Appends => "Rows that snapshots inserted"
    case FeedKind.Deletions => "Rows that snapshots deleted"
  }
}

private final class BoundChangeFeed(
    session: SessionLake,
    kind: FeedKind,
    known: Vector[(String, DataType)],
) extends BoundProcedure {

  override def name(): String = kind.functionName

  override def description(): String = ChangeFeedProcedure.description(kind)

  override def isDeterministic: Boolean = false

  override def parameters(): Array[ProcedureParameter] =
    known.map { case (parameter, dataType) =>
      ProcedureParameter.in(parameter, dataType).build()
    }.toArray

  override def call(input: InternalRow): util.Iterator[Scan] = onDriver {
    val arguments = new Arguments(name(), input)
    val schema = indexOf("schema_name").flatMap(arguments.text)
    val table = arguments.required(known.indexWhere(_._1 == "table_name"), "table_name")
    val feed = ChangeFeeds.table(
      session,
      FeedArguments(
        name(),
        kind,
        TableName(schema, table),
        bound(arguments, input, "start_snapshot"),
        bound(arguments, input, "end_snapshot"),
      ),
    )
    val scan: Scan = new CollectedFeed(name(), feed, rows(feed))
    util.List.of(scan).iterator()
  }

  private def rows(feed: ChangeFeedTable): Array[InternalRow] = {
    val found = TableQueries.first(feed, ChangeFeedProcedure.MostRows + 1)
    if (found.length > ChangeFeedProcedure.MostRows) refuse(feed)
    found
  }

  private def refuse(feed: ChangeFeedTable): Nothing = {
    val range = feed.range(CaseInsensitiveStringMap.empty())
    SparkErrors.raise(
      LakeError.Unsupported(
        s"CALL ${name()} with more than ${ChangeFeedProcedure.MostRows} rows",
        s"Its result travels through the driver. Read `spark.read.option(\"start-snapshot\", ${range.first.value})" +
          s".option(\"end-snapshot\", ${range.last.value}).table(\"${feed.at.name}.${kind.tableName}\")`, or the " +
          s"table function `ducklake_${name()}`, which are distributed.",
      )
    )
  }

  private def bound(arguments: Arguments, row: InternalRow, parameter: String): ChangeBound =
    indexOf(parameter) match {
      case Some(index) if !row.isNullAt(index) =>
        known(index)._2 match {
          case _: StringType => FeedBounds.of(arguments.required(index, parameter))
          case dataType => FeedBounds.of(row.getLong(index), dataType)
        }
      case _ => arguments.fail(parameter, "is NULL")
    }

  private def indexOf(parameter: String): Option[Int] =
    Some(known.indexWhere(_._1 == parameter)).filter(_ >= 0)
}

/** The collected rows of a feed. */
private final class CollectedFeed(name: String, feed: ChangeFeedTable, found: Array[InternalRow])
    extends LocalScan {

  override def readSchema(): StructType =
    StructType(feed.columns().map(c => StructField(c.name, c.dataType, c.nullable)))

  override def rows(): Array[InternalRow] = found

  override def description(): String = name
}
