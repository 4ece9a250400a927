package ducklake.spark.metadata

import ducklake.catalog.LakeSnapshot
import ducklake.spark.changes.ChangeFeedTable
import ducklake.spark.changes.FeedKind
import ducklake.spark.changes.FeedOptions
import ducklake.spark.session.Namespaces
import ducklake.spark.session.SessionLake
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.streaming.ReadStreams
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.Table

import java.util.Locale

/** Finds the metadata tables of a table (`lake.s.t.files`) and of the lake
  * (`lake.system.snapshots`). A real table of the same name takes precedence.
  *
  * Source: jvm/docs/reading.md, "Tables about a table" and "Tables about the lake".
  */
final class MetadataTableFinder(session: SessionLake) {

  def find(snapshot: LakeSnapshot, ident: Identifier): Option[Table] =
    ident.namespace() match {
      case Array(system) if system.equalsIgnoreCase(Namespaces.System) =>
        SystemTables.find(session, snapshot, ident.name()).map(local(ident, _))
      case Array() => None
      case Array(table) => tableOf(snapshot, Vector(Namespaces.Default), table, ident)
      case several => tableOf(snapshot, several.dropRight(1).toVector, several.last, ident)
    }

  /** The table `system.settings` when there is no lake. It is the only table that can be read then.
    */
  def withoutLake(ident: Identifier): Option[Table] =
    ident.namespace() match {
      case Array(system)
          if system.equalsIgnoreCase(Namespaces.System) &&
            ident.name().equalsIgnoreCase(SystemTables.Settings) && !session.lake.isThere() =>
        Some(local(ident, SystemTables.settings(session)))
      case _ => None
    }

  private def tableOf(
      snapshot: LakeSnapshot,
      schema: Vector[String],
      name: String,
      ident: Identifier,
  ): Option[Table] =
    if (ident.namespace().length == 1 && snapshot.schema(name).isDefined) None
    else
      for {
        table <- snapshot.table(schema, name)
        found <- tableOf(new TableAtSnapshot(session, snapshot, table), ident)
      } yield found

  private def tableOf(table: TableAtSnapshot, ident: Identifier): Option[Table] =
    FeedKind.ofTable(ident.name()) match {
      case Some(kind) =>
        val name = nameOf(ident)
        val stream = Some(ReadStreams.ofFeed(table, kind))
        Some(new ChangeFeedTable(name, table, kind, FeedOptions.range(table, _), stream))
      case None => resultOf(table, ident.name()).map(local(ident, _))
    }

  private def resultOf(table: TableAtSnapshot, name: String): Option[LocalResult] =
    name.toLowerCase(Locale.ROOT) match {
      case "files" => Some(FilesTable.files(table))
      case "columns" => Some(ColumnsTable.of(table.table))
      case "partitions" => Some(FilesTable.partitions(table))
      case "snapshots" => Some(SnapshotsTable.of(session.lake, table.table))
      case "options" => Some(OptionsTable.inForce(session, table.table))
      case _ => None
    }

  private def local(ident: Identifier, result: LocalResult): Table =
    new LocalScanTable(nameOf(ident), result)

  private def nameOf(ident: Identifier): String =
    ((session.name +: ident.namespace().toVector) :+ ident.name()).mkString(".")
}
