package ducklake.spark.streaming.columns

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.types.StructType

/** What a query reads of a stream.
  *
  * @param filters all must hold for the rows that the query needs; other rows may be left out
  */
private[streaming] final case class StreamChoice(
    columns: ColumnChoice,
    filters: Vector[Predicate],
)

private[streaming] object StreamChoice {
  val all: StreamChoice = StreamChoice(ColumnChoice.All, Vector.empty)
}

/** The columns of a stream that a query needs. */
private[streaming] sealed trait ColumnChoice {
  def of(all: StructType): StructType
}

private[streaming] object ColumnChoice {
  case object All extends ColumnChoice {
    def of(all: StructType): StructType = all
  }

  /** @param positions in the order in which they are read */
  final case class Some(positions: Vector[Int]) extends ColumnChoice {
    def of(all: StructType): StructType = StructType(positions.map(all.fields(_)).toArray)

    /** Of these columns again some. */
    def some(of: Vector[Int]): Some = Some(of.map(positions))
  }
}
