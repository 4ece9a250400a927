package ducklake.spark.maintenance.flush

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.listing.RowVersion
import ducklake.catalog.partition.Transform
import ducklake.catalog.partition.TransformValue
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.spark.partitioning.WriteKey

/** The common properties of the row versions of one file.
  *
  * @param partition the text of each partition key's value, None for NULL; None as a whole for a
  *   table without partitions, and for row versions whose keys have no value in the present type
  * @param generation how many earlier versions of the same row are in other files
  */
private[flush] final case class FlushedFileKey(
    partition: Option[Vector[Option[String]]],
    generation: Int,
)

/** Groups row versions by files. A file has rows of one partition, by the table's present layout,
  * and of one generation, so that a row id occurs once in a file. DuckDB's change feed needs that:
  * it takes the snapshot of the first delete of a row id in a file for all deletes of this row id.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_flush.
  */
private[flush] object FlushedPositions {

  /** The number of generations. All further versions of a row are in the last generation, and share
    * a file.
    */
  val MostGenerations: Int = 100

  /** @param versions ordered by row id and begin
    * @return the groups, ordered by their first row version
    */
  def of(
      versions: Vector[RowVersion],
      keys: Vector[WriteKey],
  ): Vector[(FlushedFileKey, Vector[RowVersion])] = {
    val fileKeys = versions.zip(generations(versions)).map { case (version, generation) =>
      FlushedFileKey(partition(version, keys), generation)
    }
    val byFileKey = fileKeys.zip(versions).groupMap(_._1)(_._2)
    fileKeys.distinct.map(key => key -> byFileKey(key))
  }

  private def generations(versions: Vector[RowVersion]): Vector[Int] =
    versions.zip(versions.drop(1)).scanLeft(0) { case (generation, (before, next)) =>
      if (before.rowId == next.rowId) math.min(generation + 1, MostGenerations - 1) else 0
    }

  /** The partition of a row version, for [[FlushedFileKey]]. */
  def partition(
      version: RowVersion,
      keys: Vector[WriteKey],
  ): Option[Vector[Option[String]]] = {
    val texts = keys.map(key => valueOf(version, key).map(text(_, key)))
    Option.when(keys.nonEmpty && texts.forall(_.nonEmpty))(texts.flatten)
  }

  /** Errors: Unsupported for a bucket key without a value. DuckDB skips files without a bucket, so
    * that the row would be missing in past snapshots.
    */
  private def valueOf(version: RowVersion, key: WriteKey): Option[Literal] =
    (version.keys(key.ordinal), key.transform) match {
      case (None, Transform.Bucket(_)) =>
        throw new LakeException(
          LakeError.Unsupported(
            s"A flush of deleted rows whose bucket key `${key.column.name}` had a type with more values",
            "Choose other partition keys for the table first.",
          )
        )
      case (value, _) => value
    }

  private def text(value: Literal, key: WriteKey): Option[String] =
    key.column.dataType match {
      case primitive: LakeType.Primitive =>
        TransformValue.text(key.transform, value, primitive) match {
          case Right(text) => text
          case Left(why) => throw new IllegalStateException(why)
        }
      case nested: LakeType.Nested =>
        throw new IllegalStateException(s"a column of type $nested is no partition key")
    }
}
