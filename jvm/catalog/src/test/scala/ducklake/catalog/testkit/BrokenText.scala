package ducklake.catalog.testkit

import scala.util.Random
import scala.util.control.NonFatal

/** Texts of a kind with random damage: a case is a number, and the same number is the same text. */
final class BrokenText(seeds: Vector[String]) {

  def apply(number: Int): String = {
    val random = new Random(number.toLong)
    val seed = seeds(random.nextInt(seeds.size))
    (0 to random.nextInt(6)).foldLeft(seed)((text, _) => changed(text, random))
  }

  private def changed(text: String, random: Random): String = {
    val at = random.nextInt(text.length + 1)
    def piece = BrokenText.pieces(random.nextInt(BrokenText.pieces.size))
    random.nextInt(4) match {
      case 0 => text.patch(at, piece, 0)
      case 1 => text.take(at) + piece + text.drop(at + 2)
      case 2 => text.take(at) + text.drop(at + 1 + random.nextInt(3))
      case _ => text.take(at) + seeds(random.nextInt(seeds.size)).drop(random.nextInt(9))
    }
  }

  /** What was thrown for so many texts, or as many as DUCKLAKE_FUZZ says. */
  def faults(cases: Int)(read: String => Unit): Seq[String] =
    (0 until sys.env.get("DUCKLAKE_FUZZ").fold(cases)(_.toInt)).flatMap { number =>
      BrokenText.fault(apply(number))(read).map(fault => s"$number: $fault")
    }
}

object BrokenText {

  private val pieces =
    Vector("'", "\"", "(", ")", "{", "}", "[", "]", ":", ",", "=", "\\", "-", ".") ++
      Vector("e", "0", "99999999999999999999", "\u0000", "\ud800", "é", "𝄞", "NULL", " ", "\n") ++
      Vector("%", "::", "`", ";", "--", "/*", "*/", "=>")

  /** What a reader throws for a text; None for nothing. */
  def fault(text: String)(read: String => Unit): Option[String] =
    try {
      read(text)
      None
    } catch {
      case failure: StackOverflowError => Some(said(text, failure))
      case NonFatal(failure) => Some(said(text, failure))
    }

  private def said(text: String, failure: Throwable): String =
    s"${ascii(text.take(300))}: ${ascii(failure.toString.take(300))}"

  private def ascii(text: String): String =
    text.map(char => if (char < 127 && char >= 32) s"$char" else f"\\u${char.toInt}%04x").mkString
}
