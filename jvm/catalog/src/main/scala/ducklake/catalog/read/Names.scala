package ducklake.catalog.read

/** How names are matched: exactly first, then without regard to case. */
private[read] object Names {

  def find[A](candidates: Vector[A], name: String)(nameOf: A => String): Option[A] =
    candidates.find(nameOf(_) == name).orElse(candidates.find(nameOf(_).equalsIgnoreCase(name)))
}
