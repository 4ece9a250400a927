package ducklake.catalog.jdbc.address

import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path

import scala.annotation.tailrec
import scala.jdk.CollectionConverters.ListHasAsScala

/** Reads PostgreSQL's password file. It has lines `host:port:database:user:password`, where `*`
  * matches any value and a backslash escapes a colon or a backslash. The first line that matches is
  * used.
  *
  * Source: PostgreSQL 16, "The Password File".
  */
object PasswordFile {

  /** The target of a connection. */
  final case class Target(host: String, port: Int, database: String, user: String)

  /** The password for the target, if the file has a line for it. Left: why the file cannot be read.
    */
  def read(path: String, target: Target): Either[String, Option[String]] =
    try Right(find(Files.readAllLines(Path.of(path)).asScala.toVector, target))
    catch {
      case error: IOException => Left(s"cannot be read (${error.getClass.getSimpleName})")
    }

  def find(lines: Vector[String], target: Target): Option[String] = {
    val wanted = Vector(target.host, target.port.toString, target.database, target.user)
    lines.iterator
      .filterNot(_.startsWith("#"))
      .map(fields)
      .collectFirst { case parts if parts.size == 5 && fits(parts.take(4), wanted) => parts(4) }
  }

  private def fits(patterns: Vector[Field], wanted: Vector[String]): Boolean =
    patterns.zip(wanted).forall { case (pattern, value) => pattern == "*" || pattern == value }

  private type Field = String

  private def fields(line: String): Vector[Field] = {
    @tailrec
    def split(rest: List[Char], current: String, done: Vector[Field]): Vector[Field] = rest match {
      case '\\' :: kept :: more => split(more, current + kept, done)
      case ':' :: more if done.size < 4 => split(more, "", done :+ current)
      case other :: more => split(more, current + other, done)
      case Nil => done :+ current
    }
    split(line.toList, "", Vector.empty)
  }
}
