/** The pictures of the rooms in jvm/docs/architecture.md, one in the section of each module: the arrows
  * that the imports make. An arrow that follows from others is not drawn.
  */
object RoomPicture {

  private val arrow = """(?m)^ *([\w/]+) --> ([\w/]+) *$""".r

  /** What differs between the pictures and the imports.
    *
    * @param page text of the page
    * @param imports the importing package and what it imports
    */
  def differences(page: String, imports: Seq[(String, String)]): Seq[String] =
    ImportRules.modules.flatMap { rooms =>
      val shown = drawn(page, rooms.module)
      val wanted = needed(arrows(rooms, imports))
      describe(rooms.module, "lacks", wanted -- shown) ++
        describe(rooms.module, "has without need", shown -- wanted)
    }

  /** The arrows in the section of a module. */
  private def drawn(page: String, module: String): Set[(String, String)] = {
    val section = page.linesIterator
      .dropWhile(_ != s"## Inside `$module`")
      .drop(1)
      .takeWhile(!_.startsWith("## "))
      .mkString("\n")
    arrow.findAllMatchIn(section).map(found => (found.group(1), found.group(2))).toSet
  }

  private def describe(
      module: String,
      what: String,
      arrows: Set[(String, String)],
  ): Seq[String] =
    arrows.toSeq.sorted.map { case (from, to) =>
      s"the picture of the rooms of $module $what $from --> $to"
    }

  private def arrows(
      rooms: ImportRules.Rooms,
      imports: Seq[(String, String)],
  ): Set[(String, String)] = {
    val all = for {
      (packageName, imported) <- imports
      from <- rooms.roomOf(packageName)
      to <- rooms.roomOf(imported)
      if from != to
    } yield (title(rooms, from), title(rooms, to))
    all.toSet
  }

  private def title(rooms: ImportRules.Rooms, room: String): String =
    room.stripPrefix(rooms.root).stripPrefix(".").replace('.', '/') match {
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
