package ducklake.catalog.read.schema

import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeMacro
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.MacroParameter
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.query.SchemaSql
import ducklake.catalog.types.MacroId

/** Reads macros. Each implementation of a macro is one value. */
private[schema] object MacroReader {

  /** @param schemas by id */
  def read(
      session: Session,
      sql: SchemaSql,
      head: CatalogHead,
      schemas: Map[Long, LakeSchema],
  ): Vector[LakeMacro] = {
    val parameters = session
      .query(sql.macroParameters) { row =>
        val parameter = MacroParameter(
          row.text(3),
          known(row.textOption(4)),
          row.textOption(5),
          known(row.textOption(6)),
        )
        (row.long(1), row.long(2)) -> parameter
      }
      .groupMap(_._1)(_._2)
    val macros = session.query(sql.macros(head.snapshot.id)) { row =>
      schemas.get(row.long(1)).map { schema =>
        LakeMacro(
          id = MacroId(row.long(2)),
          schema = schema,
          name = row.text(3),
          kind = row.text(7),
          parameters = parameters.getOrElse((row.long(2), row.long(4)), Vector.empty),
          sql = row.text(6),
          dialect = row.textOption(5).getOrElse(""),
        )
      }
    }
    macros.flatten
  }

  /** A parameter without a type is stored as `unknown`. */
  private def known(typeText: Option[String]): Option[String] = typeText.filterNot(_ == "unknown")
}
