import sbt.*
import sbt.Keys.*

/** Rules of the style guide that the compiler and the formatters do not keep. They are textual: a
  * qualified name without an import is not seen. scalafix has no release for Scala 2.13.18.
  */
object SourceChecks {

  val sourceChecks = taskKey[Unit]("File and function lengths, banned syntax, import rules")

  private val longestFile = 400
  private val longestTestFile = 500
  private val longestFunction = 60
  private val largestFolder = 20
  private val largestCircle = 3

  /** Paths that may break a rule, each with the reason. */
  private val exceptions: Map[String, String] = Map()

  private final case class Source(path: String, text: String) {
    val isScala: Boolean = path.endsWith(".scala")
    val isTest: Boolean = path.startsWith("tests/") || path.contains("/src/test/")
    val lines: Vector[String] = text.linesIterator.toVector
    val code: Vector[String] =
      if (isScala) ScalaText.code(text).linesIterator.toVector else lines
    val isOfProduct: Boolean =
      isScala && path.startsWith("jvm/") && path.contains("/src/main/")
    val packageName: String =
      code.find(_.startsWith("package ")).fold("")(_.stripPrefix("package ").trim)
  }

  private type Rule = Source => Seq[String]

  private val rules: Seq[Rule] = Seq(fileLength, functionLength, bannedSyntax, imports, lineFolders)

  private def fileLength(source: Source): Seq[String] = {
    val limit = if (source.isTest) longestTestFile else longestFile
    val length = source.lines.size
    if (length > limit) Seq(s"${source.path}: $length lines, at most $limit") else Nil
  }

  private def indent(line: String): Int = line.prefixLength(_ == ' ')

  private val definition =
    """^\s*(?:(?:[a-z]+(?:\[\w+\])?|@\w+(?:\(.*?\))?) +)*def +(\S+?)[(\[:= ].*""".r

  /** A function ends before the next line that is indented as little as its first. */
  private def functionLength(source: Source): Seq[String] =
    source.code.zipWithIndex
      .collect { case (line @ definition(name), start) =>
        val rest = source.code.drop(start + 1)
        val body = rest
          .takeWhile(next => next.trim.isEmpty || indent(next) > indent(line) || isClosing(next))
        (name, start + 1, body.reverse.dropWhile(_.trim.isEmpty).size + 1)
      }
      .collect {
        case (name, line, length) if length > longestFunction =>
          s"${source.path}:$line: function $name has $length lines, at most $longestFunction"
      }

  private def isClosing(line: String): Boolean = line.trim.headOption.exists(")]}".contains(_))

  private val everywhere = Seq(
    "return" -> """\breturn\b""".r,
    "changing case by the machine's locale" -> """\bto(Lower|Upper)Case\b(?!\(\w)""".r,
  )
  private val inPurePackages =
    Seq("null" -> """\bnull\b""".r, "asInstanceOf" -> """\basInstanceOf\b""".r)

  private def bannedSyntax(source: Source): Seq[String] =
    if (!source.isScala) Nil
    else {
      val isPure = !source.isTest && ImportRules.isPure(source.packageName)
      val banned = everywhere ++ (if (isPure) inPurePackages else Nil)
      source.code.zipWithIndex.flatMap { case (line, index) =>
        val words = banned.collect {
          case (word, pattern) if pattern.findFirstIn(line).isDefined => word
        }
        val fields =
          if (isPure && isField(source.code, index)) Seq("a var that outlives a function") else Nil
        (words ++ fields).map(what => s"${source.path}:${index + 1}: $what is banned here")
      }
    }

  /** A `var` none of whose enclosing lines begins a function. */
  private def isField(code: Vector[String], index: Int): Boolean = {
    val isVar = """\bvar +\w""".r.findFirstIn(code(index)).isDefined
    val enclosing = code.take(index + 1).reverse.scanLeft((indent(code(index)) + 1, "")) {
      case ((depth, _), line) =>
        if (line.trim.nonEmpty && indent(line) < depth) (indent(line), line) else (depth, "")
    }
    isVar && !enclosing.exists { case (_, line) => """\bdef\b""".r.findFirstIn(line).isDefined }
  }

  private val importLine = """^\s*import +(.+?)\s*$""".r

  /** `a.b.{C, D => E}` as `a.b.C` and `a.b.D`. */
  private def importedNames(text: String): Seq[String] = {
    val braces = """^(.*)\.\{(.*)\}$""".r
    text match {
      case braces(prefix, names) =>
        names
          .split(',')
          .map(_.trim.split(" |=>").head)
          .filter(_.nonEmpty)
          .map(prefix + "." + _)
          .toSeq
      case single => Seq(single.split(" ").head)
    }
  }

  /** What a file imports, with the line. */
  private def imported(source: Source): Seq[(String, Int)] =
    source.code.zipWithIndex.collect { case (importLine(text), index) =>
      importedNames(text).map(_ -> (index + 1))
    }.flatten

  private def imports(source: Source): Seq[String] =
    if (!source.path.startsWith("jvm/") || source.isTest) Nil
    else
      ImportRules.homeless(source.packageName).map(why => s"${source.path}: $why").toSeq ++
        imported(source).flatMap { case (name, line) =>
          ImportRules
            .refusal(source.packageName, name)
            .map(why => s"${source.path}:$line: import of $name: $why")
        }

  private def lineFolders(source: Source): Seq[String] =
    if (!source.isOfProduct) Nil
    else LineFolders.refusals(source.path, source.packageName, source.code)

  private def folderSizes(sources: Seq[Source]): Seq[String] =
    sources
      .map(_.path)
      .groupBy(_.split('/').dropRight(1).mkString("/"))
      .toSeq
      .sortBy(_._1)
      .collect {
        case (folder, files) if files.size > largestFolder =>
          s"$folder: ${files.size} files, at most $largestFolder"
      }

  private def circles(sources: Seq[Source]): Seq[String] = {
    val nodes = sources.map(s => FileGraph.Node(s.path, s.packageName, s.code.mkString("\n")))
    FileGraph.circles(nodes).filter(_.size > largestCircle).map { circle =>
      s"${circle.size} files need each other, at most $largestCircle: ${circle.mkString(", ")}"
    }
  }

  private def pictures(top: File, sources: Seq[Source]): Seq[String] = {
    val page = IO.read(top / "jvm" / "docs" / "architecture.md")
    val arrows = sources.flatMap(s => imported(s).map { case (name, _) => s.packageName -> name })
    RoomPicture.differences(page, arrows).map("jvm/docs/architecture.md: " + _)
  }

  /** Citations of the format, in sources and in pages. */
  private def citations(top: File, sources: Seq[Source]): Seq[String] = {
    val page = IO.read(top / FormatCitations.Page)
    val known = FormatCitations.sectionsOf(page)
    val pages = (top / "jvm" / "docs" ** "*.md").get.sorted
      .map(file => (IO.relativize(top, file).getOrElse(file.getPath), file))
      .filterNot { case (path, _) => path == FormatCitations.Page }
      .map { case (path, file) => (path, IO.read(file)) }
    val cited = sources.map(source => (source.path, source.text)) ++ pages
    cited.flatMap { case (path, text) => FormatCitations.refusals(path, text, known) } ++
      FormatCitations.brokenReferences(page)
  }

  private def sources(top: File): Seq[Source] = {
    val files = (top / "jvm" ** "*.scala") +++ (top / "project" * "*.scala") +++
      (top / "python" ** "*.py") +++ (top / "tests" ** "*.py")
    files.get.sorted
      .map(file => (IO.relativize(top, file).getOrElse(file.getPath), file))
      .filterNot { case (path, _) => path.contains("/target/") || path.startsWith("tests/compat/") }
      .map { case (path, file) => Source(path, IO.read(file)) }
  }

  val settings: Seq[Setting[?]] = Seq(
    sourceChecks := {
      val log = streams.value.log
      val checked = sources(baseDirectory.value)
      val broken = checked
        .filterNot(file => exceptions.contains(file.path))
        .flatMap(file => rules.flatMap(_(file)))
      val ofProduct = checked.filter(_.isOfProduct)
      val together =
        folderSizes(ofProduct) ++ circles(ofProduct) ++ pictures(baseDirectory.value, ofProduct) ++
          citations(baseDirectory.value, checked)
      val all = broken ++ together
      all.foreach(line => log.error(line))
      if (all.nonEmpty) throw new MessageOnlyException(s"${all.size} source checks failed")
      log.info(s"source checks: ${checked.size} files are fine")
    }
  )
}
