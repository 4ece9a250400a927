package ducklake.catalog.change.schema

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnDefault
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Names

/** The legal changes of a table's columns, each a function from a draft to a draft. A path names a
  * column or a node below it: a field of a struct, `element` of a list, `key` or `value` of a map.
  *
  * Errors: InvalidChange and InvalidName, with the reason.
  *
  * Source: DuckDB 1.5.5, observed (format 11.1); ours, jvm/docs/statements.md,
  * "Columns".
  */
object SchemaChange {

  type Result = Either[LakeError, TableDraft]

  /** @param parent path of the struct that gets a field; empty for a top-level column
    * @param column without ids
    */
  def add(
      draft: TableDraft,
      parent: Vector[String],
      column: Column,
      place: ColumnPlace,
  ): Result = {
    val action = s"add column ${named(parent :+ column.name)} to ${draft.table}"
    filled(draft, column, action).flatMap(_ => placed(draft, parent, column, place, action))
  }

  /** Adds a column to a table that has no rows yet. */
  def addToNew(draft: TableDraft, column: Column): Result = {
    val action = s"create ${draft.table} with column `${column.name}`"
    placed(draft, Vector.empty, column, ColumnPlace.Last, action)
  }

  private def placed(
      draft: TableDraft,
      parent: Vector[String],
      column: Column,
      place: ColumnPlace,
      action: String,
  ): Result = {
    val (added, numbered) = draft.numbered(column)
    for {
      siblings <- fieldsOf(draft, parent, action)
      _ <- free(siblings, column.name, action)
      _ <-
        if (parent.isEmpty) NameRules.column(column.name, draft.version)
        else NameRules.field(column.name)
      fields <- put(siblings, added, place, action)
    } yield numbered.withColumns(replaceFields(draft.definition.columns, parent, fields))
  }

  /** The column or nested node that a path names. */
  def column(draft: TableDraft, path: Vector[String]): Option[Column] =
    ColumnTree.find(draft.definition.columns, path)

  def drop(draft: TableDraft, path: Vector[String]): Result = {
    val action = s"drop column ${named(path)} of ${draft.table}"
    edited(draft, path, action) { (siblings, at) =>
      for {
        _ <- isField(draft, path, action)
        _ <- notOfKeys(draft, path, action)
        _ <-
          if (path.length == 1) unused(draft, siblings(at), action)
          else notSortedBy(SortChange.usesField(draft, path), action)
      } yield siblings.patch(at, Nil, 1)
    }
  }

  def rename(draft: TableDraft, path: Vector[String], name: String): Result = {
    val action = s"rename column ${named(path)} of ${draft.table} to ${named(Vector(name))}"
    for {
      _ <- if (path.length == 1) NameRules.column(name, draft.version) else NameRules.field(name)
      renamed <- edited(draft, path, action) { (siblings, at) =>
        for {
          _ <- isField(draft, path, action)
          _ <- free(siblings.patch(at, Nil, 1), name, action)
          _ <- notSortedBy(path.length > 1 && SortChange.usesField(draft, path), action)
        } yield siblings.updated(at, siblings(at).copy(name = name))
      }
    } yield ColumnTree
      .find(draft.definition.columns, path)
      .filter(_ => path.length == 1)
      .fold(renamed)(before => SortChange.columnRenamed(renamed, before.name, name))
  }

  def move(draft: TableDraft, path: Vector[String], place: ColumnPlace): Result = {
    val action = s"move column ${named(path)} of ${draft.table}"
    edited(draft, path, action) { (siblings, at) =>
      for {
        _ <- isField(draft, path, action)
        moved <- put(siblings.patch(at, Nil, 1), siblings(at), place, action)
      } yield moved
    }
  }

  /** Changes a column's type to a type that holds every value of the old type. */
  def retype(draft: TableDraft, path: Vector[String], to: LakeType.Primitive): Result = {
    val action = s"change the type of column ${named(path)} of ${draft.table}"
    edited(draft, path, action) { (siblings, at) =>
      val column = siblings(at)
      val isKey = path.length == 1
      TypeChange
        .check(column, to, draft.definition.partition.filter(k => isKey && k.column == column.id))
        .left
        .map(why => LakeError.InvalidChange(action, why))
        .map(_ => siblings.updated(at, column.copy(dataType = to)))
    }
  }

  /** Changes a column's type to any type, in a table without rows. A new column takes the name, the
    * place and the comment of the old one, which loses its default.
    *
    * @param to the column with its new type, without ids
    */
  def replaceType(draft: TableDraft, path: Vector[String], to: Column): Result = {
    val action = s"change the type of column ${named(path)} of ${draft.table}"
    val (added, numbered) = draft.numbered(to)
    val isSorted = path.length == 1 && SortChange.uses(draft, path.head)
    for {
      _ <- Either.cond(
        draft.rows == RowPresence.Empty,
        (),
        LakeError.InvalidChange(action, "the table has rows"),
      )
      _ <- notSortedBy(isSorted && !SortChange.hasOrder(to), action)
      changed <- edited(numbered, path, action) { (siblings, at) =>
        val old = siblings(at)
        val taken =
          added.copy(name = old.name, nullsAllowed = old.nullsAllowed, comment = old.comment)
        Right(siblings.updated(at, taken))
      }
      partitioned <- PartitionSpecChange.set(changed, partitionKeys(draft))
    } yield partitioned
  }

  private def partitionKeys(draft: TableDraft): Vector[PartitionSpecChange.NamedKey] =
    draft.definition.partition.flatMap { key =>
      draft.definition.columns
        .find(_.id == key.column)
        .map(column => PartitionSpecChange.NamedKey(column.name, key.transform))
    }

  /** Sets the default for later INSERTs. Existing rows are not changed. None removes the default.
    */
  def setDefault(draft: TableDraft, path: Vector[String], to: Option[ColumnDefault]): Result =
    changed(draft, path, s"change the default of column ${named(path)} of ${draft.table}") {
      _.copy(default = to)
    }

  def setComment(draft: TableDraft, path: Vector[String], to: Option[String]): Result =
    changed(draft, path, s"comment on column ${named(path)} of ${draft.table}") {
      _.copy(comment = to)
    }

  /** Allows NULL. Nested nodes are always nullable in DuckLake. */
  def dropNotNull(draft: TableDraft, path: Vector[String]): Result =
    changed(draft, path, s"drop NOT NULL of column ${named(path)} of ${draft.table}") {
      _.copy(nullsAllowed = true)
    }

  /** Forbids NULL. The caller has to check that no row has NULL in the column. */
  def setNotNull(draft: TableDraft, column: String): Result =
    changed(draft, Vector(column), s"set NOT NULL on column `$column` of ${draft.table}") {
      _.copy(nullsAllowed = false)
    }

  /** Checks the result of all changes of a statement. */
  def finished(draft: TableDraft): Result =
    if (draft.definition.columns.isEmpty)
      Left(LakeError.InvalidChange(s"change ${draft.table}", "a table needs a column"))
    else
      draft.definition.columns.flatMap(emptyStruct).headOption match {
        case Some(column) =>
          val action = s"drop the last field of a struct of ${draft.table}"
          Left(LakeError.InvalidChange(action, s"`${column.name}` would be a struct of nothing"))
        case None => Right(draft)
      }

  private def emptyStruct(column: Column): Option[Column] =
    if (column.dataType == LakeType.StructType && column.children.isEmpty) Some(column)
    else column.children.flatMap(emptyStruct).headOption

  private def changed(draft: TableDraft, path: Vector[String], action: String)(
      change: Column => Column
  ): Result =
    edited(draft, path, action)((siblings, at) => Right(siblings.updated(at, change(siblings(at)))))

  private def edited(draft: TableDraft, path: Vector[String], action: String)(
      edit: (Vector[Column], Int) => Either[LakeError, Vector[Column]]
  ): Result =
    ColumnTree
      .edit(draft.definition.columns, path)(edit)
      .getOrElse(Left(LakeError.InvalidChange(action, "there is no such column")))
      .map(draft.withColumns)

  private def fieldsOf(
      draft: TableDraft,
      parent: Vector[String],
      action: String,
  ): Either[LakeError, Vector[Column]] =
    if (parent.isEmpty) Right(draft.definition.columns)
    else
      ColumnTree.find(draft.definition.columns, parent) match {
        case Some(holder) if holder.dataType == LakeType.StructType => Right(holder.children)
        case Some(_) =>
          Left(LakeError.InvalidChange(action, s"${named(parent)} is no struct"))
        case None =>
          Left(LakeError.InvalidChange(action, s"there is no column ${named(parent)}"))
      }

  private def replaceFields(
      columns: Vector[Column],
      parent: Vector[String],
      fields: Vector[Column],
  ): Vector[Column] =
    parent match {
      case name +: rest =>
        ColumnTree.indexOf(columns, name).fold(columns) { at =>
          val children = replaceFields(columns(at).children, rest, fields)
          columns.updated(at, columns(at).copy(children = children))
        }
      case _ => fields
    }

  private def put(
      siblings: Vector[Column],
      column: Column,
      place: ColumnPlace,
      action: String,
  ): Either[LakeError, Vector[Column]] =
    place match {
      case ColumnPlace.First => Right(column +: siblings)
      case ColumnPlace.Last => Right(siblings :+ column)
      case ColumnPlace.After(name) =>
        ColumnTree
          .indexOf(siblings, name)
          .toRight(LakeError.InvalidChange(action, s"there is no `$name` beside it"))
          .map(at => siblings.patch(at + 1, Vector(column), 0))
    }

  private def free(
      siblings: Vector[Column],
      name: String,
      action: String,
  ): Either[LakeError, Unit] =
    siblings
      .find(sibling => Names.isSame(sibling.name, name))
      .map(other => LakeError.InvalidChange(action, s"there is a column `${other.name}` already"))
      .toLeft(())

  /** Existing rows take the initial default of a new column, so a column that is NOT NULL needs
    * one.
    */
  private def filled(draft: TableDraft, column: Column, action: String): Either[LakeError, Unit] =
    if (draft.rows == RowPresence.Empty || column.nullsAllowed || column.initialDefault.isDefined)
      Right(())
    else
      Left(LakeError.InvalidChange(action, "a column that is NOT NULL needs a constant default"))

  /** The children of lists and maps have fixed names and cannot be dropped, renamed or moved. */
  private def isField(
      draft: TableDraft,
      path: Vector[String],
      action: String,
  ): Either[LakeError, Unit] = {
    val holder = ColumnTree.find(draft.definition.columns, path.dropRight(1))
    if (holder.forall(_.dataType == LakeType.StructType)) Right(())
    else Left(LakeError.InvalidChange(action, "it is the content of a list or a map"))
  }

  /** Keys that differ in a field alone become equal without it, and DuckDB reads no map with equal
    * keys.
    */
  private def notOfKeys(
      draft: TableDraft,
      path: Vector[String],
      action: String,
  ): Either[LakeError, Unit] =
    Either.cond(
      draft.rows == RowPresence.Empty || !ColumnTree.isInKey(draft.definition.columns, path),
      (),
      LakeError.InvalidChange(
        action,
        "it is a part of a map's keys, which could become equal, and the table has rows",
      ),
    )

  private def unused(draft: TableDraft, column: Column, action: String): Either[LakeError, Unit] =
    if (draft.definition.partition.exists(_.column == column.id))
      Left(
        LakeError.InvalidChange(
          action,
          "the table is partitioned by it. Change or reset the partitioning first",
        )
      )
    else notSortedBy(SortChange.uses(draft, column.name), action)

  private def notSortedBy(isSorted: Boolean, action: String): Either[LakeError, Unit] =
    Either.cond(
      !isSorted,
      (),
      LakeError.InvalidChange(
        action,
        "the table is sorted by it. Change or reset the sort order first",
      ),
    )

  private def named(path: Vector[String]): String = path.mkString("`", ".", "`")
}
