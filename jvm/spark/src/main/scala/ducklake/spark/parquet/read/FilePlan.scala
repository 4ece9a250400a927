package ducklake.spark.parquet.read

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.UncommittedIds
import ducklake.catalog.types.ColumnId
import ducklake.files.parquet.FieldLookup
import ducklake.files.parquet.FileNode
import ducklake.files.parquet.ReservedFields
import org.apache.parquet.filter2.predicate.FilterApi
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType

/** The columns that are read from one file, and how they become the columns of the scan.
  *
  * @param columns an output for each column of the [[ReadSpec]]
  * @param extras embedded columns that are read in addition, in this order
  * @param schema the file's schema in the form that Spark's reader receives
  * @param filter None when no row group can be skipped
  * @param ids for each `Data` among the columns, in order, the id of the table's column; 0 when it
  *   is not a column of the table
  * @param notNull the outputs that must not show a NULL, with the names of their columns
  */
final case class FilePlan(
    columns: Vector[FilePlan.Output],
    extras: Vector[FilePlan.Embedded],
    schema: MessageType,
    filter: Option[FilterPredicate],
    ids: Vector[Long],
    notNull: Vector[(Int, String)],
) {

  /** The columns that are requested from Spark's reader: first the columns that are read from the
    * file, then the extras.
    */
  def requested: StructType = {
    val data = columns.collect { case FilePlan.Data(name, plan) =>
      plan.requested.map(StructField(name, _, nullable = true))
    }
    val embedded = extras.map(extra => StructField(extra.name, LongType, nullable = true))
    StructType((data.flatten ++ embedded).toArray)
  }

  /** The index of an extra column among the requested columns. */
  def ordinalOf(extra: FilePlan.Embedded): Int =
    requested.length - extras.length + extras.indexOf(extra)
}

object FilePlan {

  /** How one column of the scan is made. */
  sealed trait Output

  /** A column of the table, or a constant. */
  final case class Data(name: String, plan: ColumnPlan) extends Output

  /** An embedded column, unchanged. */
  final case class FromFile(column: Embedded) extends Output

  /** Consecutive numbers from `start`, the number of the file's first row. */
  final case class Counted(start: Long) extends Output

  /** The snapshot of the run that contains the row. */
  final case class OfRun(runs: Vector[(Long, Long)]) extends Output

  /** The id of the first column whose value loses data in Spark's types. */
  case object Loss extends Output

  /** A BIGINT column that DuckLake embeds in its files. */
  final case class Embedded(name: String, fieldId: Int)

  /** The plan for a file. Errors: `UnreadableFile` when the file does not have the columns that it
    * has according to the catalog.
    */
  def of(part: FilePart, spec: ReadSpec, schema: MessageType): FilePlan = {
    val fields = FileNode.ofSchema(schema)
    val mapping = part.mapping.flatMap(spec.mappings.get)
    val lookup = FieldLookup.of(mapping, fields, spec.order)
    val resolver = ColumnResolver(fields, lookup, part.constants, part.filename, part.table)
    val columns = spec.columns.map(output(_, part, fields, resolver))
    val extras = (columns.collect { case FromFile(column) => column } ++
      visibilityColumn(part, fields)).distinct
    val plans = columns.collect { case Data(_, plan) => plan }
    val leaves = plans.flatMap(leavesOf(_, isInside = false))
    FilePlan(
      columns,
      extras,
      FileSchema.replacing(schema, plans.flatMap(replacements).toMap),
      filter(part, spec, leaves.collect { case (leaf, false) => leaf }, extras),
      spec.columns.zip(columns).collect {
        case (ReadColumn.Data(column, _), Data(_, _)) => column.id.value
        case (_, Data(_, _)) => 0L
      },
      spec.columns.zipWithIndex.collect {
        case (ReadColumn.Data(column, _), ordinal) if spec.notNull(column.id) =>
          ordinal -> column.name
      },
    )
  }

  private def output(
      column: ReadColumn,
      part: FilePart,
      fields: Vector[FileNode],
      resolver: ColumnResolver,
  ): Output =
    column match {
      case ReadColumn.Data(wanted, shown) =>
        val (name, plan) = resolver.plan(wanted, shown)
        Data(name, plan)
      case ReadColumn.RowId =>
        embedded(fields, ReservedFields.rowId, part).map(FromFile(_)).getOrElse {
          Counted(
            part.rowIdStart.getOrElse(fail(part, "it neither embeds row ids nor has a first"))
          )
        }
      case ReadColumn.SnapshotOfRow =>
        embedded(fields, ReservedFields.snapshotId, part).map(FromFile(_)).getOrElse {
          part.visibility match {
            case RowVisibility.Runs(_, _, runs) if runs.nonEmpty =>
              OfRun(runs.map { case (snapshot, end) => (snapshot.value, end) })
            case _ if UncommittedIds.contains(part.begin) =>
              Data("", constant(LongType, Option.empty[AnyRef].orNull))
            case _ => Data("", constant(LongType, part.begin))
          }
        }
      case ReadColumn.FileName =>
        val name = org.apache.spark.unsafe.types.UTF8String.fromString(part.filename)
        Data("", constant(column.sparkType, name))
      case ReadColumn.FileRowNumber | ReadColumn.PositionInFile => Counted(0L)
      case ReadColumn.FileId => Data("", constant(LongType, part.id))
      case ReadColumn.Loss => Loss
    }

  private def constant(shown: DataType, value: Any): ColumnPlan =
    ColumnPlan.Constant(shown, value, isExact = true)

  private def visibilityColumn(part: FilePart, fields: Vector[FileNode]): Option[Embedded] =
    part.visibility match {
      case RowVisibility.Embedded(_) =>
        val column = embedded(fields, ReservedFields.snapshotId, part)
        Some(column.getOrElse(fail(part, "it holds several snapshots but no snapshot of its rows")))
      case _ => None
    }

  private def embedded(fields: Vector[FileNode], id: Int, part: FilePart): Option[Embedded] =
    fields.find(_.id.contains(id)).map {
      case leaf: FileNode.Leaf if leaf.stored.getPrimitiveTypeName == PrimitiveTypeName.INT64 =>
        Embedded(leaf.name, id)
      case other => fail(part, s"its column ${other.name} is no BIGINT")
    }

  /** The leaves in a plan, and whether they are inside a list or map. */
  private def leavesOf(plan: ColumnPlan, isInside: Boolean): Vector[(ColumnPlan.Leaf, Boolean)] =
    plan match {
      case leaf: ColumnPlan.Leaf => Vector((leaf, isInside))
      case ColumnPlan.Struct(_, fields, _) => fields.flatMap(f => leavesOf(f._2, isInside))
      case ColumnPlan.List(_, element) => leavesOf(element, isInside = true)
      case ColumnPlan.Entries(_, key, value) =>
        Vector(key, value).flatMap(leavesOf(_, isInside = true))
      case _: ColumnPlan.Constant | _: ColumnPlan.Variant | _: ColumnPlan.Extracted => Vector.empty
    }

  /** The columns of the file that Spark's reader gets with another type than the file's. */
  private def replacements(plan: ColumnPlan): Vector[(Vector[String], PrimitiveType)] =
    plan match {
      case leaf: ColumnPlan.Leaf if leaf.reading.stored ne leaf.file.stored =>
        Vector(leaf.file.path -> leaf.reading.stored)
      case variant: ColumnPlan.Variant => variant.replacements
      case ColumnPlan.Extracted(_, variant) => replacements(variant)
      case ColumnPlan.Struct(_, fields, presence) =>
        fields.flatMap(f => replacements(f._2)) ++ presence.toVector.flatMap(_.replacements)
      case ColumnPlan.List(_, element) => replacements(element)
      case ColumnPlan.Entries(_, key, value) => Vector(key, value).flatMap(replacements)
      case _: ColumnPlan.Constant | _: ColumnPlan.Leaf => Vector.empty
    }

  private def filter(
      part: FilePart,
      spec: ReadSpec,
      leaves: Vector[ColumnPlan.Leaf],
      extras: Vector[Embedded],
  ): Option[FilterPredicate] = {
    val byId: Map[ColumnId, ColumnPlan.Leaf] = leaves.map(leaf => leaf.id -> leaf).toMap
    val wanted = ParquetPredicates(byId).all(spec.predicates)
    val seen = part.visibility match {
      case RowVisibility.Embedded(snapshots) =>
        extras.find(_.fieldId == ReservedFields.snapshotId).map { column =>
          val stored = FilterApi.longColumn(column.name)
          val within = FilterApi.and(
            FilterApi.gtEq(stored, Long.box(snapshots.first.value)),
            FilterApi.ltEq(stored, Long.box(snapshots.last.value)),
          )
          // As VisibleRowsRule, which shows rows without a snapshot.
          FilterApi.or(FilterApi.eq(stored, Option.empty[java.lang.Long].orNull), within)
        }
      case _ => None
    }
    Vector(wanted, seen).flatten.reduceOption(FilterApi.and)
  }

  private def fail(part: FilePart, why: String): Nothing =
    throw new LakeException(LakeError.UnreadableFile(part.filename, part.table, why))
}
