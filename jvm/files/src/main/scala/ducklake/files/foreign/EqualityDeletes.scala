package ducklake.files.foreign

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText
import ducklake.files.delete.DeletedPositions
import ducklake.files.io.FileFailure
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.ColumnReader
import org.apache.parquet.schema.MessageType

import scala.collection.immutable.ArraySeq
import scala.collection.mutable

/** A Parquet file whose rows are values of deleted rows.
  *
  * @param path in Hadoop's form
  */
final case class EqualityFile(path: String, sizeBytes: Long)

/** The content of equality delete files with values of the same columns. A row of a data file is
  * deleted when its values of these columns are those of a row of a delete file; NULL is equal to
  * NULL. A data file that lacks a column has NULL in it.
  *
  * Source: Iceberg's specification, equality delete files.
  *
  * @param files by their numbers
  * @param rows for the values of each row, the numbers of the files that have it
  */
final class EqualityDeletes private (
    ids: Vector[Int],
    table: String,
    conf: Configuration,
    kinds: Vector[Option[LakeType.Primitive]],
    files: Map[EqualityFile, Int],
    rows: EqualityDeletes.Rows,
) {

  /** The positions of the rows that each of some delete files deletes; without those that delete
    * none.
    *
    * @param path of the data file in Hadoop's form
    * @param applied delete files of this object
    *
    * Errors: `UnreadableFile` naming the data file.
    */
  def positions(
      path: String,
      sizeBytes: Long,
      applied: Vector[EqualityFile],
  ): Map[EqualityFile, DeletedPositions] = {
    val numbers = applied.map(file => files(file) -> file).toMap
    val found = mutable.HashMap.empty[Int, mutable.ArrayBuilder[Long]]
    EqualityDeletes.foreachRow(path, sizeBytes, ids, kinds, table, conf) { (row, values) =>
      for {
        number <- rows.getOrElse(values, Nil) if numbers.contains(number)
      } found.getOrElseUpdate(number, Array.newBuilder[Long]) += row
    }: Unit
    found.iterator.map { case (number, some) =>
      numbers(number) -> DeletedPositions.of(some.result())
    }.toMap
  }
}

object EqualityDeletes {

  private type Values = ArraySeq[AnyRef]
  private type Rows = mutable.Map[Values, List[Int]]

  /** @param ids the field ids of the compared columns
    * @param table for messages
    *
    * Errors: `UnreadableFile` naming a delete file.
    */
  def read(
      files: Vector[EqualityFile],
      ids: Vector[Int],
      table: String,
      conf: Configuration,
  ): EqualityDeletes = {
    val rows: Rows = mutable.HashMap.empty
    val numbered = files.distinct.zipWithIndex
    val none = ids.map(_ => Option.empty[LakeType.Primitive])
    val kinds = numbered.foldLeft(none) { case (before, (file, number)) =>
      val own = foreachRow(file.path, file.sizeBytes, ids, before, table, conf) { (_, values) =>
        rows.updateWith(values) { known =>
          Some(number :: known.getOrElse(Nil).filterNot(_ == number))
        }: Unit
      }
      ids.zip(own).filter(_._2.isEmpty).foreach { case (id, _) =>
        throw unreadable(file.path, table, s"it has no column with the field id $id")
      }
      own
    }
    new EqualityDeletes(ids, table, conf, kinds, numbered.toMap, rows)
  }

  /** Visits each row with its position and its values of the columns.
    *
    * @param kinds that the columns must have, where they are known
    * @return the kinds of the columns in the file; None for a column that it lacks
    */
  private def foreachRow(
      path: String,
      sizeBytes: Long,
      ids: Vector[Int],
      kinds: Vector[Option[LakeType.Primitive]],
      table: String,
      conf: Configuration,
  )(visit: (Long, Values) => Unit): Vector[Option[LakeType.Primitive]] =
    FileFailure.naming(path, table) {
      val compared = mutable.ArrayBuffer.empty[Option[ComparedColumn]]
      var first = 0L
      def choose(schema: MessageType): Vector[ColumnDescriptor] = {
        if (!NamedIds.hasIds(schema)) throw unreadable(path, table, "its columns have no field ids")
        val found = ids.map(ColumnGroups.leafOf(schema, _))
        compared ++= found.zip(kinds).map { case (column, kind) =>
          column.map(comparable(_, kind, path, table))
        }
        found.flatten
      }
      ColumnGroups.foreach(path, sizeBytes, conf)(choose) { (readers, rows) =>
        val places = compared.toArray
        val present = places.indices.filter(places(_).nonEmpty).zip(readers).toArray
        each(rows, places, present, row => visit(first + row, _))
        first += rows
      }
      compared.toVector.map(_.map(_.kind))
    }

  private def each(
      rows: Long,
      places: Array[Option[ComparedColumn]],
      present: Array[(Int, ColumnReader)],
      visit: Long => Values => Unit,
  ): Unit = {
    // A plain loop: it runs once for every row of the data files.
    var row = 0L
    while (row < rows) {
      val values = Array.fill[AnyRef](places.length)(ComparedColumn.Null)
      present.foreach { case (place, reader) =>
        places(place).foreach(column => values(place) = column.value(reader))
        reader.consume()
      }
      visit(row)(ArraySeq.unsafeWrapArray(values))
      row += 1
    }
  }

  private def comparable(
      column: ColumnDescriptor,
      expected: Option[LakeType.Primitive],
      path: String,
      table: String,
  ): ComparedColumn = {
    val found = ComparedColumn.of(column)
    found.filter(own => expected.forall(_ == own.kind)).getOrElse {
      val name = column.getPath.mkString(".")
      val why = expected.map(TypeText.print).fold("which equality deletes cannot compare") { kind =>
        s"and the equality deletes have values of the type $kind"
      }
      throw unreadable(path, table, s"its column `$name` is ${column.getPrimitiveType}, $why")
    }
  }

  private def unreadable(path: String, table: String, why: String): LakeException =
    new LakeException(
      LakeError.UnreadableFile(
        path,
        table,
        why,
        "Compact the source with its own engine, then move it",
      )
    )
}
