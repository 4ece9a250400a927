package ducklake.spark.moving

import ducklake.catalog.change.operation.RegisteredDeletes

/** What happens to a file of the table whose source has other deletes. */
private[moving] sealed trait Removal[+A]

private[moving] object Removal {

  /** It loses all rows. */
  final case class Whole[A](file: A) extends Removal[A]

  /** It gets a delete file in place of those before. */
  final case class Part[A](file: A, deletes: RegisteredDeletes) extends Removal[A]

  /** The same rows are deleted as before. */
  case object Same extends Removal[Nothing]

  /** Rows that were deleted are there again. */
  case object Returned extends Removal[Nothing]

  /** Deletes that only grow say by their numbers what happened ([[ReturnedRows]] finds others).
    *
    * @param known the file of the table; None when all its rows were deleted
    * @param deleted the number of its deletes so far
    */
  def of[A](moved: MovedDeletes, known: Option[A])(deleted: A => Long): Removal[A] =
    (moved, known) match {
      case (MovedDeletes.Everything(_), None) => Same
      case (_, None) => Returned
      case (MovedDeletes.Everything(_), Some(file)) => Whole(file)
      case (MovedDeletes.Nothing(_), Some(file)) => if (deleted(file) > 0) Returned else Same
      case (MovedDeletes.Some(_, deletes), Some(file)) =>
        if (deletes.deleteCount > deleted(file)) Part(file, deletes)
        else if (deletes.deleteCount == deleted(file)) Same
        else Returned
    }
}
