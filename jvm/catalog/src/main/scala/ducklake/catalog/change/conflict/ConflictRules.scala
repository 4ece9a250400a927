package ducklake.catalog.change.conflict

import ducklake.catalog.change.conflict.ChangeKind.*
import ducklake.catalog.types.Names

/** Which changes of another commit, made since the base, conflict with one of our changes.
  *
  * Source: DuckDB 1.5.5 (format 4.6) for objects. Rows are not compared here: the commit looks at
  * the rows and files that it touches (decisions 02 and 25).
  */
object ConflictRules {

  /** The first pair of changes that conflict, ours first.
    *
    * @param schemas the names that lead to schemas, by id, to match objects created in a schema
    *   that the other side drops; read when such a pair is met
    */
  def clash(
      ours: Vector[Change],
      others: Vector[Change],
      schemas: => Map[Long, Vector[String]],
  ): Option[(Change, Change)] = {
    val pairs = for {
      our <- ours.iterator
      other <- others.iterator
      if isClash(our, other, schemas)
    } yield (our, other)
    pairs.nextOption()
  }

  private def isClash(our: Change, other: Change, schemas: => Map[Long, Vector[String]]): Boolean =
    (our.subject, other.subject) match {
      case (ChangeSubject.Numbered(ourId), ChangeSubject.Numbered(otherId)) =>
        ourId == otherId && ofSameObject(our.kind, other.kind)
      case (ChangeSubject.Named(ourName), ChangeSubject.Named(otherName)) =>
        takesSameName(our.kind, other.kind) && folded(ourName) == folded(otherName)
      case (ChangeSubject.Numbered(dropped), ChangeSubject.Named(created)) =>
        our.kind == DroppedSchema && isWithin(created, dropped, schemas)
      case (ChangeSubject.Named(created), ChangeSubject.Numbered(dropped)) =>
        other.kind == DroppedSchema && isWithin(created, dropped, schemas)
    }

  private def isWithin(
      created: Vector[String],
      schema: Long,
      schemas: => Map[Long, Vector[String]],
  ): Boolean =
    schemas.get(schema).exists(path => folded(path) == folded(created.dropRight(1)))

  private def folded(name: Vector[String]): Vector[String] = name.map(Names.folded)

  /** Tables and views share one namespace; scalar macros and table macros each have their own. */
  private def takesSameName(our: ChangeKind, other: ChangeKind): Boolean = {
    def space(kind: ChangeKind): Option[Int] = kind match {
      case CreatedSchema => Some(0)
      case CreatedTable | CreatedView => Some(1)
      case CreatedScalarMacro => Some(2)
      case CreatedTableMacro => Some(3)
      case _ => None
    }
    space(our).nonEmpty && space(our) == space(other)
  }

  private val drops: Set[ChangeKind] =
    Set(DroppedSchema, DroppedTable, DroppedView, DroppedScalarMacro, DroppedTableMacro)

  /** Ids of schemas, tables, views and macros come from one sequence, so equal ids mean the same
    * object.
    */
  private def ofSameObject(our: ChangeKind, other: ChangeKind): Boolean = our match {
    case InsertedInto | InlinedInsert | DeletedFrom | InlinedDelete => drops(other)
    case Flush | OldFlush => (drops + Flush + OldFlush)(other)
    case MergeAdjacent | RewriteDelete | Compacted => drops(other)
    case AlteredTable => (drops + AlteredTable)(other)
    case AlteredView => (drops + AlteredView)(other)
    case DroppedSchema | DroppedTable | DroppedView | DroppedScalarMacro | DroppedTableMacro =>
      drops(other)
    case CreatedSchema | CreatedTable | CreatedView | CreatedScalarMacro | CreatedTableMacro =>
      false
  }
}
