package ducklake.files.testkit

import ducklake.catalog.error.LakeException

import java.lang.management.ManagementFactory
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit

import scala.util.Random
import scala.util.control.NonFatal

/** Copies of a file with random damage: a case is a number, and the same number is the same damage.
  *
  * @param folder an empty one
  */
final class BrokenFile(folder: Path, whole: Vector[Array[Byte]]) {

  /** What went wrong with so many cases, or as many as DUCKLAKE_FUZZ says: each is read, or refused
    * with an error of ours, within seconds.
    *
    * @param read takes the file's path and its size
    */
  def faults(cases: Int)(read: (String, Long) => Any): Seq[String] = {
    val file = folder.resolve("broken")
    val first = sys.env.get("DUCKLAKE_SEED").fold(0)(_.toInt)
    val count = sys.env.get("DUCKLAKE_FUZZ").fold(cases)(_.toInt)
    (first until first + count).flatMap { number =>
      val bytes = damaged(new Random(number.toLong))
      Files.write(file, bytes): Unit
      fault(read(file.toString, bytes.length.toLong)).map(what => s"$number: $what")
    }
  }

  private def damaged(random: Random): Array[Byte] = {
    val bytes = whole(random.nextInt(whole.size)).clone()
    def anywhere = random.nextInt(bytes.length)
    def changed(first: Int) = {
      (0 to random.nextInt(4)).foreach { _ =>
        val at = first + random.nextInt(bytes.length - first)
        bytes(at) = BrokenFile.values(random.nextInt(BrokenFile.values.size))
      }
      bytes
    }
    random.nextInt(8) match {
      case 0 => bytes.take(anywhere)
      case 1 => bytes.drop(anywhere)
      case 2 | 3 => changed(0)
      case 4 | 5 => changed(math.max(0, bytes.length - BrokenFile.FooterBytes))
      case 6 =>
        val at = anywhere
        bytes.patch(at, Array.fill[Byte](1 + random.nextInt(64))(0), random.nextInt(64))
      case _ => changed(math.max(0, bytes.length - 12))
    }
  }

  private def fault(read: => Any): Option[String] = {
    val (began, worked) = (System.nanoTime, BrokenFile.workedNanos)
    val thrown =
      try {
        read: Unit
        None
      } catch {
        case _: LakeException => None
        case NonFatal(bare) => Some(bare.toString.take(300))
        case ofTheMachine: StackOverflowError => Some(ofTheMachine.toString)
        case ofTheMachine: OutOfMemoryError => Some(ofTheMachine.toString)
      }
    val work = TimeUnit.NANOSECONDS.toSeconds(BrokenFile.workedNanos - worked)
    val seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime - began)
    val isSlow = work > BrokenFile.MostWorkSeconds || seconds > BrokenFile.MostSeconds
    thrown.orElse(Option.when(isSlow)(s"$work seconds of work in $seconds"))
  }
}

private object BrokenFile {
  private val values = Vector[Byte](0, 1, 2, 15, 28, 127, -128, -1)
  private val FooterBytes = 400
  private val MostWorkSeconds = 10L

  /** Of a busy machine, which does other things too. */
  private val MostSeconds = 60L

  private def workedNanos: Long = ManagementFactory.getThreadMXBean.getCurrentThreadCpuTime
}
