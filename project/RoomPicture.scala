/** The picture of the rooms in jvm/docs/architecture.md: the arrows that the imports make. An arrow that
  * follows from others is not drawn.
  */
object RoomPicture {

  private val arrow = """(?m)^ *([\w/]+) --> ([\w/]+) *$""".r

  /** What differs between the picture and the imports.
    *
    * @param page text of the page
    * @param imports the importing package and what it imports
    */
  def differences(page: String, imports: Seq[(String, String)]): Seq[String] = {
    val shown = arrow.findAllMatchIn(page).map(found => (found.group(1), found.group(2))).toSet
    val wanted = needed(arrows(imports))
    describe("lacks", wanted -- shown) ++ describe("has without need", shown -- wanted)
  }

  private def describe(what: String, arrows: Set[(String, String)]): Seq[String] =
    arrows.toSeq.sorted.map { case (from, to) => s"the picture of the rooms $what $from --> $to" }

  private def arrows(imports: Seq[(String, String)]): Set[(String, String)] = {
    val order = ImportRules.sparkOrder
    val rooms = for {
      (packageName, imported) <- imports
      from <- ImportRules.roomOf(order, packageName)
      to <- ImportRules.roomOf(order, imported)
      if from != to
    } yield (title(from), title(to))
    rooms.toSet
  }

  private def title(room: String): String =
    room.stripPrefix("ducklake.spark").stripPrefix(".").replace('.', '/') match {
      case "" => "root"
      case name => name
    }

  /** The arrows that no way over other rooms stands for. */
  private def needed(all: Set[(String, String)]): Set[(String, String)] = {
    val direct = all.groupBy(_._1).map { case (from, to) => from -> to.map(_._2) }
    val ways = FileGraph.reachable(direct)
    all.filterNot { case (from, to) =>
      (direct(from) - to).exists(over => ways.getOrElse(over, Set.empty[String])(to))
    }
  }
}
