package ducklake.catalog.read.snapshot

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.Addition
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.InlinedColumns
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.query.VersionSql
import org.slf4j.LoggerFactory

import java.util.concurrent.ConcurrentHashMap

/** Finds the version of a catalog from its text. The columns of a catalog of 1.1, or of a
  * development version before it, are read once for each lake, because they may differ from the
  * columns that this connector knows.
  */
private[snapshot] final class FormatVersionReader(database: Database) {
  private val sql = new VersionSql(database.dialect)
  private val known = new ConcurrentHashMap[FormatVersionReader.Key, FormatVersion]()

  /** @param lake distinguishes the lake from other lakes at the same address
    *
    * Errors: UnsupportedVersion.
    */
  def version(text: String, lake: String, session: Session): FormatVersion =
    if (text == FormatVersion.V11.text || text == FormatVersion.Dev11) {
      val key = FormatVersionReader.Key(text, lake)
      Option(known.get(key)).getOrElse {
        val found = look(text, session)
        if (known.putIfAbsent(key, found) == null) warn(found)
        found
      }
    } else
      FormatVersion.of(text).getOrElse {
        throw new LakeException(
          LakeError.UnsupportedVersion(database.display, text, FormatVersion.texts)
        )
      }

  private def look(text: String, session: Session): FormatVersion = {
    val present = session.query(sql.columns(MetadataSchema.all.map(_.name))) { row =>
      (row.text(1), row.text(2))
    }
    val wanted = for {
      table <- MetadataSchema.all
      column <- table.columns
    } yield ((table.name, column.name), column.added.orElse(table.added))
    val names = wanted.map(_._1).toSet
    val unknown = present.filterNot(names).map { case (table, column) => s"$table.$column" }
    val missing = wanted.filterNot { case (name, _) => present.contains(name) }.flatMap(_._2)
    val additions = Addition.all -- missing -- plainInlined(text, session)
    if (text == FormatVersion.V11.text && unknown.isEmpty && additions == Addition.all)
      FormatVersion.V11
    else FormatVersion.Partial11(text, additions, unknown)
  }

  /** The prefix, when an inlined table of a development version does not have it. */
  private def plainInlined(text: String, session: Session): Option[Addition] =
    if (text == FormatVersion.V11.text) None
    else {
      val tables =
        session.query(sql.inlinedTables)(_.text(1)).take(FormatVersionReader.TablesPerQuestion)
      val columns =
        if (tables.isEmpty) Vector.empty
        else session.query(sql.columns(tables))(_.text(2))
      Option.when(columns.contains(InlinedColumns.Plain.begin.text))(Addition.InlinedPrefix)
    }

  private def warn(version: FormatVersion): Unit = version match {
    case other: FormatVersion.Partial11 if other.unknown.nonEmpty =>
      FormatVersionReader.log.warn(
        "The lake at {} has version {} and columns that this connector does not know: {}. It is read " +
          "without them and cannot be written.",
        database.display,
        other.text,
        other.unknown.mkString(", "),
      )
    case _ => ()
  }
}

private object FormatVersionReader {
  private val log = LoggerFactory.getLogger(classOf[FormatVersionReader])

  private val TablesPerQuestion = 100

  private final case class Key(text: String, lake: String)
}
