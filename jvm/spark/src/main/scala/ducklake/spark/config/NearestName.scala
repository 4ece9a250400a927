package ducklake.spark.config

import java.util.Locale

/** Finds the known name that a user probably meant by an unknown name. Pure. */
object NearestName {

  /** The known name with the most similar spelling. Upper and lower case are equal. */
  def of(name: String, known: Iterable[String]): String = known.minBy(distance(name, _))

  /** The known name that a user probably misspelt. None when no known name is similar: an unrelated
    * name would mislead the user.
    */
  def likely(name: String, known: Iterable[String]): Option[String] =
    Some(of(name, known)).filter { nearest =>
      distance(name, nearest) <= math.max(2, math.min(name.length, nearest.length) / 3)
    }

  /** The edit distance: the number of letters to insert, delete or change. */
  def distance(left: String, right: String): Int = {
    val (from, to) = (left.toLowerCase(Locale.ROOT), right.toLowerCase(Locale.ROOT))
    val first = (0 to to.length).toVector
    from
      .foldLeft(first) { (previous, letter) =>
        to.indices.foldLeft(Vector(previous.head + 1)) { (row, i) =>
          val change = previous(i) + (if (to(i) == letter) 0 else 1)
          row :+ change.min(previous(i + 1) + 1).min(row.last + 1)
        }
      }
      .last
  }
}
