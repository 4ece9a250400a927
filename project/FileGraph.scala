/** Which source file of a module needs which other, by the names that it uses. */
object FileGraph {

  /** A source file.
    *
    * @param code without comments and contents of strings
    */
  final case class Node(path: String, packageName: String, code: String)

  private val definition =
    ("""(?m)^(?:(?:private|final|sealed|abstract|case|implicit)(?:\[\w+\])? +)*""" +
      """(?:class|object|trait) +(\w+)""").r

  private val importLine = """(?m)^\s*import +([\w.]+)""".r

  private val name = """\b[A-Z]\w*""".r

  /** Files that need each other, all those of a circle together; sorted by path. */
  def circles(nodes: Seq[Node]): Seq[Seq[String]] = {
    val needs = reachable(edges(nodes))
    nodes
      .map(_.path)
      .filter(path => needs(path)(path))
      .groupBy(path => needs(path).filter(other => needs(other)(path)))
      .values
      .map(_.sorted)
      .toSeq
      .sortBy(_.head)
  }

  private def edges(nodes: Seq[Node]): Map[String, Set[String]] = {
    val homes: Map[String, Set[String]] = nodes
      .flatMap(node => defined(node).map(each => s"${node.packageName}.$each" -> node.path))
      .groupBy(_._1)
      .mapValues(_.map(_._2).toSet)
      .toMap
    nodes.map { node =>
      val neighbours = name.findAllIn(node.code).map(each => s"${node.packageName}.$each")
      val imported = importLine.findAllMatchIn(node.code).flatMap(found => prefixes(found.group(1)))
      node.path -> ((neighbours ++ imported)
        .flatMap(homes.getOrElse(_, Set.empty))
        .toSet - node.path)
    }.toMap
  }

  private def defined(node: Node): Seq[String] =
    definition.findAllMatchIn(node.code).map(_.group(1)).toSeq

  /** What is imported, and the object whose member it may be. */
  private def prefixes(imported: String): Seq[String] =
    Seq(imported, imported.split('.').dropRight(1).mkString("."))

  /** What each can be reached from, step by step. */
  def reachable[A](direct: Map[A, Set[A]]): Map[A, Set[A]] = {
    val wider = direct.map { case (from, to) =>
      from -> (to ++ to.flatMap(direct.getOrElse(_, Set.empty[A])))
    }
    if (wider == direct) direct else reachable(wider)
  }
}
