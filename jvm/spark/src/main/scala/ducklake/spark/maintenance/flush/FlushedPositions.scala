package ducklake.spark.maintenance.flush

import ducklake.catalog.partition.TransformValue
import ducklake.catalog.read.RowVersion
import ducklake.catalog.types.LakeType
import ducklake.spark.layout.WriteKey

/** Which rows come into a file together.
  *
  * @param partition the text of each key's value, None inside for NULL; None: not partitioned
  * @param generation how many versions of the same row are in other files before
  */
private[flush] final case class FlushedPosition(
    partition: Option[Vector[Option[String]]],
    generation: Int,
)

/** Rows of one partition, by the table's layout of today, and of one generation: a row id comes once in
  * a file. DuckDB's change feed dates all deletes of a row id in a file by the first of them.
  *
  * Source: DuckDB 1.5.5, observed, e2e/test_flush.
  */
private[flush] object FlushedPositions {

  /** From this one on the versions of a row share a file. */
  val MostGenerations: Int = 100

  /** @param versions by row id and begin
    * @return in the order in which they come first
    */
  def of(
      versions: Vector[RowVersion],
      keys: Vector[WriteKey],
  ): Vector[(FlushedPosition, Vector[RowVersion])] = {
    val places = versions.zip(generations(versions)).map { case (version, generation) =>
      FlushedPosition(partition(version, keys), generation)
    }
    val byPlace = places.zip(versions).groupMap(_._1)(_._2)
    places.distinct.map(place => place -> byPlace(place))
  }

  private def generations(versions: Vector[RowVersion]): Vector[Int] =
    versions.zip(versions.drop(1)).scanLeft(0) { case (generation, (before, next)) =>
      if (before.rowId == next.rowId) math.min(generation + 1, MostGenerations - 1) else 0
    }

  private def partition(
      version: RowVersion,
      keys: Vector[WriteKey],
  ): Option[Vector[Option[String]]] = Option.when(keys.nonEmpty)(keys.map(text(version, _)))

  private def text(version: RowVersion, key: WriteKey): Option[String] =
    key.column.dataType match {
      case primitive: LakeType.Primitive =>
        TransformValue.text(key.transform, version.keys(key.ordinal), primitive) match {
          case Right(text) => text
          case Left(why) => throw new IllegalStateException(why)
        }
      case nested: LakeType.Nested =>
        throw new IllegalStateException(s"a column of type $nested is no partition key")
    }
}
