package ducklake.files.copy.plan

import ducklake.catalog.model.NameMapping
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.files.parquet.FieldLookup
import ducklake.files.parquet.FileNode
import ducklake.files.parquet.LeafColumn
import ducklake.files.parquet.ReservedFields
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.schema.GroupType
import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.Type

import scala.jdk.CollectionConverters.ListHasAsScala

/** How the rows of some files become the rows of a new file, value by value and bit by bit.
  *
  * @param message the schema of the new file
  * @param leaves the columns of the new file in order
  * @param statistics the leaves whose statistics the catalog has
  */
final class CopyPlan private (
    private[copy] val message: MessageType,
    private[copy] val leaves: Vector[NewLeaf],
    private[copy] val statistics: Vector[LeafColumn],
    sources: Map[FileShape, Vector[Option[LeafSource]]],
) {

  private[copy] val lakeTypes: Map[Vector[String], LakeType.Primitive] =
    statistics.map(leaf => leaf.path -> leaf.lakeType).toMap

  /** For each leaf of the new file its values in files of this shape; None: the file lacks them. */
  private[copy] def of(shape: FileShape): Vector[Option[LeafSource]] = sources(shape)
}

/** The keys by which the columns of a file are found. Many files share one shape. */
private[copy] final case class FileShape(schema: MessageType, mapping: Option[NameMapping])

/** A leaf of a new file.
  *
  * @param single a schema with this leaf only
  * @param absent the value in rows of files that lack the column
  */
private[copy] final case class NewLeaf(
    path: Vector[String],
    single: MessageType,
    role: LeafRole,
    absent: LeafConstant,
) {
  val descriptor: ColumnDescriptor = single.getColumns.get(0)
}

private[copy] sealed trait LeafRole

private[copy] object LeafRole {
  case object Values extends LeafRole
  case object RowId extends LeafRole
  case object Snapshot extends LeafRole
}

/** The place of a leaf's values in a file.
  *
  * @param definitions for each definition level in the source, the level in the new file
  * @param isAsStored whether the bytes of a page mean the same in both files
  */
private[copy] final case class LeafSource(
    descriptor: ColumnDescriptor,
    definitions: Array[Int],
    value: ValueCopy,
    isAsStored: Boolean,
)

object CopyPlan {

  /** The plan; None when the values of a column need a conversion: files store a column in
    * different ways, or not in a way of its type; a file lacks a struct field, or a column whose
    * initial default is not known; a file takes a value from its path, or shows some of its rows by
    * their embedded snapshot.
    *
    * @param blank the schema of a file of new rows; after the columns it may have row ids and
    *   snapshots of rows
    * @param order all columns of the table, for files that are matched by position
    * @param defaults the initial defaults of columns that are not nested, as `blank` stores them
    */
  def of(
      files: SourceFiles,
      columns: Vector[Column],
      blank: MessageType,
      order: Vector[ColumnId],
      defaults: Map[ColumnId, LeafConstant],
  ): Option[CopyPlan] =
    if (files.exists(cannotCopy(_, columns))) None
    else {
      val parts = columns.flatMap(column => CopySchema.parts(column, field(blank, column.name)))
      val absent = columns.flatMap(c => defaults.get(c.id).map(Vector(c.name) -> _)).toMap
      val found = files.shapes.map { shape =>
        matches(shape, columns, blank, order, defaults.keySet).map(shape -> _)
      }
      for {
        known <- Option.when(found.forall(_.nonEmpty))(found.flatten)
        types = known
          .flatMap { case (shape, each) =>
            each.map(one => one.to -> shape.schema.getType(one.from*))
          }
          .groupMap(_._1)(_._2)
        kinds = parts.map(part => part.path -> part.lakeType).toMap
        message <- new CopySchema(kinds, types, files.shapes.size).of(blank)
        _ <- Option.when(absent.keys.forall(isAsBlank(message, blank, _)))(())
        leaves = message.getColumns.asScala.toVector.map(newLeaf(message, _, absent))
        sources = known.map { case (shape, each) =>
          shape -> leafSources(shape, each, message, leaves)
        }
        whole <- Option.when(sources.forall(_._2.nonEmpty))(sources.map(s => s._1 -> s._2.get))
      } yield new CopyPlan(
        message,
        leaves,
        parts.flatMap(_.leaves(message)) ++ leaves.filter(_.role != LeafRole.Values).map(added),
        whole.toMap,
      )
    }

  private def cannotCopy(file: SourceFile, columns: Vector[Column]): Boolean =
    file.hidesRows || columns.exists(column => file.constants(column.id))

  private def matches(
      shape: FileShape,
      columns: Vector[Column],
      blank: MessageType,
      order: Vector[ColumnId],
      defaults: Set[ColumnId],
  ): Option[Vector[ColumnMatch]] = {
    val fields = FileNode.ofSchema(shape.schema)
    val lookup = FieldLookup.of(shape.mapping, fields, order)
    val each = columns.map(c => ColumnMatch.of(c, field(blank, c.name), fields, lookup, defaults))
    Option.when(each.forall(_.nonEmpty))(each.flatten.flatten)
  }

  /** None when a leaf has another shape, or two columns have the same leaf. */
  private def leafSources(
      shape: FileShape,
      matches: Vector[ColumnMatch],
      message: MessageType,
      leaves: Vector[NewLeaf],
  ): Option[Vector[Option[LeafSource]]] = {
    val byPath = matches.map(one => one.to -> one).toMap
    val each: Vector[Option[Option[LeafSource]]] = leaves.map { leaf =>
      leaf.path.inits.flatMap(byPath.get).nextOption() match {
        case None => Some(None)
        case Some(found) =>
          val from = found.from ++ leaf.path.drop(found.to.size)
          leafSource(shape.schema, from, message, leaf).map(Some(_))
      }
    }
    val read = each.flatten.flatten.map(_.descriptor)
    Option.when(each.forall(_.nonEmpty) && read.distinct == read)(each.flatten)
  }

  private def leafSource(
      schema: MessageType,
      from: Vector[String],
      message: MessageType,
      leaf: NewLeaf,
  ): Option[LeafSource] = {
    val (own, wanted) = (Levels.of(schema, from), Levels.of(message, leaf.path))
    val stored = schema.getColumnDescription(from.toArray)
    own.definitionsIn(wanted).map { definitions =>
      val (before, after) = (stored.getPrimitiveType, leaf.descriptor.getPrimitiveType)
      val isSameWidth = before.getPrimitiveTypeName == after.getPrimitiveTypeName &&
        before.getTypeLength == after.getTypeLength
      LeafSource(stored, definitions, ValueCopy.of(before, after), isSameWidth && own == wanted)
    }
  }

  /** Whether a default can be written unchanged. */
  private def isAsBlank(message: MessageType, blank: MessageType, path: Vector[String]): Boolean =
    StoredType.of(message.getType(path*).asPrimitiveType) ==
      StoredType.of(blank.getType(path*).asPrimitiveType)

  private def newLeaf(
      message: MessageType,
      column: ColumnDescriptor,
      absent: Map[Vector[String], LeafConstant],
  ): NewLeaf = {
    val path = column.getPath.toVector
    val role = Option(field(message, path.head).getId).map(_.intValue) match {
      case Some(ReservedFields.rowId) => LeafRole.RowId
      case Some(ReservedFields.snapshotId) => LeafRole.Snapshot
      case _ => LeafRole.Values
    }
    NewLeaf(
      path,
      new MessageType(message.getName, only(field(message, path.head), path.tail)),
      role,
      absent.getOrElse(path, LeafConstant.Null),
    )
  }

  private def added(leaf: NewLeaf): LeafColumn =
    LeafColumn(
      leaf.path,
      Vector(ColumnId(leaf.descriptor.getPrimitiveType.getId.intValue.toLong)),
      LakeType.Int64,
    )

  private def field(message: MessageType, name: String): Type =
    message.asGroupType.getType(name)

  /** The field, with only the leaf at this path below it. */
  private def only(field: Type, path: Vector[String]): Type =
    path.headOption.fold(field) { name =>
      new GroupType(
        field.getRepetition,
        field.getName,
        only(field.asGroupType.getType(name), path.tail),
      )
    }
}
