package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.spark.session.Namespaces
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException

/** The name of a table in the arguments of a procedure. Without a schema, the table may be given as
  * `schema.table`.
  *
  * Source: jvm/docs/procedures.md.
  */
final case class TableName(schema: Option[String], table: String) {

  /** Finds the table. Without a schema, a table of `main` whose name is exactly this text comes
    * first. The schema may have dots between the names that lead to it.
    */
  def find(snapshot: LakeSnapshot): Option[LakeTable] =
    schema match {
      case Some(text) => in(snapshot, text, table)
      case None =>
        val dots = table.indices.filter(table(_) == '.')
        def split = dots.iterator
          .flatMap(dot => in(snapshot, table.take(dot), table.drop(dot + 1)))
          .nextOption()
        snapshot.table(Namespaces.Default, table).orElse(split)
    }

  private def in(snapshot: LakeSnapshot, text: String, name: String): Option[LakeTable] =
    Namespaces.ofText(snapshot, text).flatMap(found => snapshot.table(found.path, name))

  /** The error when the table does not exist in a lake. */
  def missing(lake: String): NoSuchTableException =
    new NoSuchTableException(Seq(lake, schema.getOrElse(Namespaces.Default), table))
}
