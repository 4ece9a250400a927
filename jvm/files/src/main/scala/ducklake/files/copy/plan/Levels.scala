package ducklake.files.copy.plan

import org.apache.parquet.schema.MessageType
import org.apache.parquet.schema.Type.Repetition

/** The repetitions on the way from the root of a schema to a leaf. Files differ in them: newer
  * versions of DuckDB write a column without NULL as required.
  */
private[plan] final case class Levels(repetitions: Vector[Repetition]) {

  /** For each definition level of this leaf the definition level of the same value in the other
    * leaf; None when the leaves have different shapes, or when the other leaf cannot hold a NULL
    * that this leaf may hold.
    */
  def definitionsIn(other: Levels): Option[Array[Int]] = {
    val pairs = repetitions.zip(other.repetitions)
    val isSameShape = repetitions.sizeIs == other.repetitions.size && pairs.forall {
      case (own, theirs) => isRepeated(own) == isRepeated(theirs)
    }
    val mayBeAbsent = pairs.forall { case (own, theirs) => isRequired(own) || !isRequired(theirs) }
    Option.when(isSameShape && mayBeAbsent) {
      // A value is defined down to the node before the first absent node.
      val absent = repetitions.indices.filterNot(at => isRequired(repetitions(at)))
      val depths = absent :+ repetitions.size
      depths.map(depth => other.repetitions.take(depth).count(!isRequired(_))).toArray
    }
  }

  private def isRequired(repetition: Repetition): Boolean = repetition == Repetition.REQUIRED

  private def isRepeated(repetition: Repetition): Boolean = repetition == Repetition.REPEATED
}

private[plan] object Levels {

  def of(schema: MessageType, path: Vector[String]): Levels =
    Levels((1 to path.size).toVector.map(depth => schema.getType(path.take(depth)*).getRepetition))
}
