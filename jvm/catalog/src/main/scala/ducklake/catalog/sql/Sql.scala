package ducklake.catalog.sql

import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TableId

import java.time.Instant
import java.util.UUID

import scala.collection.immutable.ArraySeq
import scala.language.implicitConversions

/** A part of a statement: literal text, a quoted name, or a bound value. */
sealed trait SqlPart

object SqlPart {
  implicit def ofNumber(value: Long): SqlPart = Bind.Number(value)
  implicit def ofText(value: String): SqlPart = Bind.Text(value)
  implicit def ofSnapshot(id: SnapshotId): SqlPart = Bind.Number(id.value)
  implicit def ofSchema(id: SchemaId): SqlPart = Bind.Number(id.value)
  implicit def ofTable(id: TableId): SqlPart = Bind.Number(id.value)
  implicit def ofColumn(id: ColumnId): SqlPart = Bind.Number(id.value)
  implicit def ofDataFile(id: DataFileId): SqlPart = Bind.Number(id.value)
}

/** A piece of a statement with its bound values, in the order of their question marks. */
final case class Sql(text: String, binds: Vector[Bind]) extends SqlPart {

  def ++(other: Sql): Sql = Sql(text + other.text, binds ++ other.binds)
}

/** A value that is bound, not written into the text. */
sealed trait Bind extends SqlPart

object Bind {
  final case class Number(value: Long) extends Bind
  final case class Text(value: String) extends Bind
  final case class Flag(value: Boolean) extends Bind
  final case class Uuid(value: UUID) extends Bind
  final case class Moment(value: Instant) extends Bind
  final case class Bytes(value: ArraySeq[Byte]) extends Bind

  /** NULL. */
  case object Absent extends Bind

  def of(value: Option[Long]): Bind = value.fold[Bind](Absent)(Number(_))
  def ofText(value: Option[String]): Bind = value.fold[Bind](Absent)(Text(_))
  def ofFlag(value: Option[Boolean]): Bind = value.fold[Bind](Absent)(Flag(_))
}

/** A name that is quoted, so that every spelling is safe. */
final class Identifier private[sql] (val quoted: String) extends SqlPart

object Sql {
  val empty: Sql = Sql("", Vector.empty)

  def identifier(name: String): Identifier =
    new Identifier("\"" + name.replace("\"", "\"\"") + "\"")

  /** The parts in order, separated by commas. */
  def list(parts: Iterable[SqlPart]): Sql = {
    val pieces = parts.iterator.map(render).toVector
    Sql(pieces.map(_.text).mkString(", "), pieces.flatMap(_.binds))
  }

  implicit final class Interpolator(private val context: StringContext) extends AnyVal {

    /** A statement from literal text, whose margin is stripped, quoted names, and bound values. */
    def sql(parts: SqlPart*): Sql = {
      val texts = context.parts.map(part => Sql(part.stripMargin, Vector.empty))
      texts.tail.zip(parts).foldLeft(texts.head) { case (built, (text, part)) =>
        built ++ render(part) ++ text
      }
    }
  }

  private def render(part: SqlPart): Sql = part match {
    case sql: Sql => sql
    case bind: Bind => Sql("?", Vector(bind))
    case name: Identifier => Sql(name.quoted, Vector.empty)
  }
}
