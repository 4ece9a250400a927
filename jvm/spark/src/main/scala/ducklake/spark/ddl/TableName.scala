package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.spark.session.Namespaces
import org.apache.spark.sql.connector.catalog.Identifier

/** The name of a table in the arguments of a procedure. Without a schema, the table may be given as
  * `schema.table`.
  *
  * Source: interface 5.
  */
final case class TableName(schema: Option[String], table: String) {

  /** Finds the table. Without a schema, a table of `main` whose name is exactly this text comes
    * first.
    */
  def find(snapshot: LakeSnapshot): Option[LakeTable] = {
    val direct = snapshot.table(schema.getOrElse(Namespaces.Default), table)
    direct.orElse(table.split("\\.", 2) match {
      case Array(schemaName, name) if schema.isEmpty => snapshot.table(schemaName, name)
      case _ => None
    })
  }

  def identifier: Identifier =
    Identifier.of(Array(schema.getOrElse(Namespaces.Default)), table)
}
