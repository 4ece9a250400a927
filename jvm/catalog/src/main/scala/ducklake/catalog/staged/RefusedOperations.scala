package ducklake.catalog.staged

import ducklake.catalog.change.operation.Operation

/** How users call the operations that cannot be part of a transaction. */
private[staged] object RefusedOperations {

  def nameOf(operation: Operation): String = operation match {
    case _: Operation.CreateSchema => "CREATE SCHEMA"
    case _: Operation.DropSchema => "DROP SCHEMA"
    case _: Operation.SetSchemaTags => "ALTER SCHEMA"
    case create: Operation.CreateTable => s"CREATE TABLE ${create.definition.name}"
    case Operation.DropTable(table) => s"DROP TABLE ${table.qualifiedName}"
    case alter: Operation.AlterTable => s"ALTER TABLE ${alter.table.qualifiedName}"
    case set: Operation.SetTableOptions => s"Setting options of ${set.table.qualifiedName}"
    case Operation.RecordWrite(_, write) => write.text
    case create: Operation.CreateView => s"CREATE VIEW ${create.name}"
    case Operation.DropView(view) => s"DROP VIEW ${view.qualifiedName}"
    case rename: Operation.RenameView => s"ALTER VIEW ${rename.view.qualifiedName}"
    case Operation.SetViewTags(view, _) => s"ALTER VIEW ${view.qualifiedName}"
    case _: Operation.DropMacro => "DROP MACRO"
    case files: Operation.RegisterFiles => s"add_data_files of ${files.table.qualifiedName}"
    case append: Operation.AppendFiles => rowsOf(append.existing.map(_.qualifiedName))
    case append: Operation.AppendInlined => rowsOf(append.existing.map(_.qualifiedName))
    case delete: Operation.DeleteRows => s"Deleting rows of ${delete.table.qualifiedName}"
    case Operation.Truncate(table) => s"TRUNCATE of ${table.qualifiedName}"
    case flush: Operation.FlushInlined => s"A flush of ${flush.table.qualifiedName}"
    case merge: Operation.MergeFiles => s"Merging files of ${merge.table.qualifiedName}"
    case rewrite: Operation.RewriteFiles => s"Rewriting files of ${rewrite.table.qualifiedName}"
    case one: Operation.RecomputeStatistics =>
      s"Computing statistics of ${one.table.qualifiedName}"
    case _: Operation.Restoration | _: Operation.Assertion => "Going back to a snapshot"
  }

  private def rowsOf(table: Option[String]): String =
    table.fold("Rows of a new table")(name => s"Adding rows to $name")
}
