package ducklake.spark.read

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.spark.config.StatementOptions
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.session.VersionText
import ducklake.spark.sparkapi.sql.TimeText
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.time.Instant

import scala.jdk.CollectionConverters.MapHasAsScala

/** Read options that name a snapshot. Without the extension Spark passes the options to us only
  * after it has fixed the columns. So the options work only where the snapshot has the same columns
  * as the newest snapshot.
  */
object ReadOptions {

  /** Our option that names a snapshot; None when no option names one.
    *
    * Errors: InvalidArgument when more than one option names a snapshot.
    */
  def named(options: CaseInsensitiveStringMap): Option[String] = {
    val supplied = StatementOptions.snapshots.filter(options.containsKey)
    (supplied ++ StatementOptions.sparkSnapshots.filter(options.containsKey)) match {
      case first +: second +: _ if supplied.nonEmpty =>
        fail(second, s"is given together with `$first`")
      case _ => supplied.headOption
    }
  }

  /** Spark's option with its value for one of our options that name a snapshot. */
  def asSparks(name: String, value: String): (String, String) = name match {
    case "snapshot-time" => ("timestampAsOf", value)
    case "as-of-timestamp" =>
      ("timestampAsOf", value.toLongOption.fold(value)(Instant.ofEpochMilli(_).toString))
    case _ => ("versionAsOf", value)
  }

  /** The table at the snapshot that the options name; the unchanged table when they name none.
    *
    * The table is in the past already when Spark itself has applied the option, or when the query
    * names a snapshot by a clause too.
    *
    * Errors: InvalidSetting for an unknown option; InvalidArgument for a snapshot that cannot be
    * used, or that is not the table's.
    */
  def resolve(table: TableAtSnapshot, options: CaseInsensitiveStringMap): TableAtSnapshot = {
    StatementOptions.checkRead(options.asCaseSensitiveMap().asScala.keys)
    named(options).orElse(forgotten(table, options)) match {
      case None => table
      case Some(name) =>
        val named = snapshot(table, name, options.get(name))
        if (!table.isPast) at(table, name, named)
        else if (named.snapshot.id == table.snapshot.snapshot.id) table
        else fail(name, "is given together with a version or timestamp")
    }
  }

  /** The option of Spark that names a snapshot, when the table is not read at that snapshot: Spark
    * reloads the tables of a statement that writes a frame, and forgets their options.
    */
  private def forgotten(table: TableAtSnapshot, options: CaseInsensitiveStringMap): Option[String] =
    if (table.isPast) None else StatementOptions.sparkSnapshots.find(options.containsKey)

  private def snapshot(table: TableAtSnapshot, name: String, value: String): LakeSnapshot = {
    val lake = table.session.lake
    name match {
      case "snapshot-version" | "snapshot-id" | "versionAsOf" =>
        VersionText
          .snapshot(lake, value)
          .getOrElse(fail(name, VersionText.unknown(value)))
      case "as-of-timestamp" => lake.atOrBefore(Instant.ofEpochMilli(number(name, value)))
      case _ =>
        lake.atOrBefore(
          TimeText.instant(value).getOrElse(fail(name, s"is no timestamp: $value"))
        )
    }
  }

  private def number(name: String, value: String): Long =
    value.trim.toLongOption.getOrElse(fail(name, s"is no whole number: $value"))

  private def at(table: TableAtSnapshot, name: String, snapshot: LakeSnapshot): TableAtSnapshot =
    table.at(snapshot).map(_.inPast).getOrElse {
      fail(
        name,
        s"names snapshot ${snapshot.snapshot.id.value}, where ${table.table.qualifiedName} has " +
          "other columns than now or does not exist; use `versionAsOf` or VERSION AS OF",
      )
    }

  private def fail(name: String, why: String): Nothing =
    SparkErrors.raise(LakeError.InvalidArgument("Read option", name, why))
}
