package ducklake.files.store

private[files] object Causes {

  /** The exception and its causes, which may form a circle. */
  def of(first: Throwable): List[Throwable] =
    Iterator
      .iterate(Option(first))(_.flatMap(t => Option(t.getCause)))
      .takeWhile(_.nonEmpty)
      .flatten
      .take(16)
      .toList
}
