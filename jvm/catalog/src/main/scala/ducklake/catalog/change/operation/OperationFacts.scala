package ducklake.catalog.change.operation

import ducklake.catalog.change.statistics.KeptBounds
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.LakeTable
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.SchemaId

/** The facts about an [[Operation]] on which the parts of a commit depend. Facts without a default
  * are decided by each operation, or by the kind of the operation.
  */
trait OperationFacts {

  /** The existing table that the operation changes or checks. */
  def existing: Option[LakeTable]

  /** What the commit reads about the existing table. */
  def needs: Set[TableNeed]

  /** What of the existing table must be the same as at the base, so that rows that were planned
    * there fit the table.
    */
  def requires: Option[Requirement]

  /** Whether a schema, table or view changes other than in its rows, so that the schema version of
    * the lake rises.
    */
  def changesShape: Boolean

  /** The table whose rows or columns change, by the names that lead to it. */
  def changedName: Option[Vector[String]]

  /** The names that led to a table, and that lead to another table or none afterwards. */
  def endedName: Option[Vector[String]]

  /** The statistics of each file, or of the inlined rows, that the operation adds to the existing
    * table.
    */
  def addedStatistics: Iterator[Map[ColumnId, ColumnStatistics]]

  /** Whether the present state of the table shows every conflict, so that a commit of such
    * operations need not read the snapshots since its base.
    */
  def isCheckedByState: Boolean = false

  /** The schema in which the operation creates a table. */
  def createsIn: Option[SchemaId] = None

  /** The table to which the operation adds rows, or of which it deletes rows. */
  def changedRowsOf: Option[TableTarget] = None

  /** The columns of the rows that the operation inlines into the existing table. */
  def inlinedColumns: Option[Vector[Column]] = None

  /** The bounds from which the operation recomputes the statistics of the existing table. */
  def recomputedFrom: Option[KeptBounds] = None

  /** Computes everything that does not depend on the newest snapshot. */
  def prepare(): Unit = ()
}

/** Of operations on an existing table. */
trait OnTable extends OperationFacts {
  def table: LakeTable
  final override def existing: Option[LakeTable] = Some(table)
}

/** Of operations that change schemas, tables, views or macros, and add no rows. */
trait ChangesObjects extends OperationFacts {
  final override def requires: Option[Requirement] = None
  final override def addedStatistics: Iterator[Map[ColumnId, ColumnStatistics]] = Iterator.empty
}

/** Of operations that change only rows of their table. */
trait ChangesRows extends OperationFacts {
  final override def changesShape: Boolean = false
  final override def changedName: Option[Vector[String]] = existing.map(_.path)
  final override def endedName: Option[Vector[String]] = None
}

/** Of operations that add rows which were made for the columns and partition keys at the base. */
trait AddsRows extends ChangesRows {
  def target: TableTarget
  final override def existing: Option[LakeTable] = target.existing
  final override def changedRowsOf: Option[TableTarget] = Some(target)
  final override def requires: Option[Requirement] = Some(Requirement.Shape)
  final override def isCheckedByState: Boolean = existing.nonEmpty
}

/** Of operations that delete rows. */
trait DeletesRows extends ChangesRows {
  final override def changedRowsOf: Option[TableTarget] = existing.map(TableTarget.Existing(_))
  final override def requires: Option[Requirement] = Some(Requirement.Presence)
  final override def addedStatistics: Iterator[Map[ColumnId, ColumnStatistics]] = Iterator.empty
  final override def isCheckedByState: Boolean = true
}

/** Of operations after which all tables have the same rows, columns and names as before. */
trait KeepsContent extends OperationFacts {
  final override def needs: Set[TableNeed] = Set.empty
  override def requires: Option[Requirement] = None
  final override def changesShape: Boolean = false
  final override def changedName: Option[Vector[String]] = None
  final override def endedName: Option[Vector[String]] = None
  final override def addedStatistics: Iterator[Map[ColumnId, ColumnStatistics]] = Iterator.empty
}

/** Of operations that store something about a table, which the same commit may have made. */
trait RecordsOnTarget extends KeepsContent {
  def target: TableTarget
  final override def existing: Option[LakeTable] = target.existing
  final override def isCheckedByState: Boolean = existing.nonEmpty
}
