package ducklake.catalog.commit.check

import ducklake.catalog.change.conflict.Change
import ducklake.catalog.change.conflict.ChangeKind
import ducklake.catalog.change.conflict.ChangeSubject

/** Describes changes in sentences for error messages. */
private[check] object ConflictText {

  /** @param names of tables, views and schemas by id, as far as they are known */
  def sentence(change: Change, names: Map[Long, String]): String =
    s"${verb(change.kind)} ${subject(change.subject, names)}"

  private def subject(subject: ChangeSubject, names: Map[Long, String]): String =
    subject match {
      case ChangeSubject.Named(parts) => parts.mkString(".")
      case ChangeSubject.Numbered(id) => names.getOrElse(id, s"number $id")
    }

  private def verb(kind: ChangeKind): String = kind match {
    case ChangeKind.CreatedSchema => "create schema"
    case ChangeKind.DroppedSchema => "drop schema"
    case ChangeKind.CreatedTable => "create table"
    case ChangeKind.DroppedTable => "drop table"
    case ChangeKind.CreatedView => "create view"
    case ChangeKind.DroppedView => "drop view"
    case ChangeKind.CreatedScalarMacro | ChangeKind.CreatedTableMacro => "create macro"
    case ChangeKind.DroppedScalarMacro | ChangeKind.DroppedTableMacro => "drop macro"
    case ChangeKind.AlteredTable => "alter table"
    case ChangeKind.AlteredView => "alter view"
    case ChangeKind.InsertedInto | ChangeKind.InlinedInsert => "insert into"
    case ChangeKind.DeletedFrom | ChangeKind.InlinedDelete => "delete from"
    case ChangeKind.Flush | ChangeKind.OldFlush => "flush inlined rows of"
    case ChangeKind.MergeAdjacent | ChangeKind.RewriteDelete | ChangeKind.Compacted =>
      "compact files of"
  }
}
