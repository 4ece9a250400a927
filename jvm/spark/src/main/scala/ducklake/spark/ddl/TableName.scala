package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.spark.session.Namespaces
import org.apache.spark.sql.connector.catalog.Identifier

/** A table as procedures are told of it: `schema.table` when no schema is given.
  *
  * Source: interface 5.
  */
final case class TableName(schema: Option[String], table: String) {

  /** A table of that very name in `main` comes first. */
  def find(snapshot: LakeSnapshot): Option[LakeTable] = {
    val direct = snapshot.table(schema.getOrElse(Namespaces.Default), table)
    direct.orElse(table.split("\\.", 2) match {
      case Array(holder, name) if schema.isEmpty => snapshot.table(holder, name)
      case _ => None
    })
  }

  def identifier: Identifier =
    Identifier.of(Array(schema.getOrElse(Namespaces.Default)), table)
}
