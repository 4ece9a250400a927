/** Citations of sections of jvm/docs/format.md, such as `format 6.2` or `format 3.1 to 3.3`, in
  * comments and pages. Other rules are cited by the page of jvm/docs that has them.
  */
object FormatCitations {

  val Page = "jvm/docs/format.md"

  private val heading = """(?m)^#{2,4} (\d+(?:\.\d+)*)\.? """.r
  private val reference = """\[(\d+(?:\.\d+)*)\](:?)""".r

  /** Between two words of a comment, which may be on two lines. */
  private val gap = """(?:[ \t]+|[ \t]*\n[ \t]*(?:\*|//|#)?[ \t]*)"""
  private val section = """(?:\d+(?:\.\d+)*|[A-D](?:\.\d+)?)\b"""
  private val next = s"(?:,$gap(?:(?:and|or|to)$gap)?|$gap(?:and|or|to)$gap)"

  /** Not the format of another product, as in `Parquet format`. */
  private val word = """(?<!\b[A-Z]\w{1,20} )\b(?i:format),?"""
  private val sections = s"$word$gap(?:appendix$gap)?($section(?:$next$section)*)".r
  private val divided = s"$word$gap$section(?:,|$next)?$gap?sections?$gap\\d".r
  private val interface = s"\\b(?i:interface)$gap\\d".r

  /** The numbers of the page's sections. */
  def sectionsOf(page: String): Set[String] = heading.findAllMatchIn(page).map(_.group(1)).toSet

  /** What a text cites that is not there, each with file and line.
    *
    * @param known the numbers of the page's sections
    */
  def refusals(path: String, text: String, known: Set[String]): Seq[String] = {
    def at(start: Int) = place(path, text, start)
    val unknown = for {
      found <- sections.findAllMatchIn(text).toSeq
      number <- section.r.findAllIn(found.group(1)).toSeq
      if !known(number)
    } yield s"${at(found.start)}: $Page has no section $number"
    val inDocuments = divided
      .findAllMatchIn(text)
      .map(found => s"${at(found.start)}: cite sections of $Page by their numbers alone")
    val interfaces = interface
      .findAllMatchIn(text)
      .map(found => s"${at(found.start)}: cite the page of jvm/docs that has the rule")
    unknown ++ inDocuments ++ interfaces
  }

  /** References of the page to its own sections that are no links. */
  def brokenReferences(page: String): Seq[String] = {
    val (targets, uses) = reference.findAllMatchIn(page).toSeq.partition(_.group(2) == ":")
    val linked = targets.map(_.group(1)).toSet & sectionsOf(page)
    uses.filterNot(use => linked(use.group(1))).map { use =>
      s"${place(Page, page, use.start)}: [${use.group(1)}] is no link to a section"
    }
  }

  private def place(path: String, text: String, start: Int): String =
    s"$path:${text.take(start).count(_ == '\n') + 1}"
}
