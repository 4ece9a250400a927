package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TableTarget
import ducklake.spark.partitioning.WriteLayout
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WriteSink
import ducklake.spark.session.WriteTarget
import ducklake.spark.types.SparkColumns
import ducklake.spark.types.TextLengths
import ducklake.spark.write.RowOptions
import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.slf4j.LoggerFactory

/** A table that a statement creates together with its rows, perhaps in place of another table.
  *
  * @param replaced the other table; None when it does not exist
  */
final class StagedCreation(
    lake: SessionLake,
    begin: LakeSnapshot,
    replaced: Option[ReplacedTable],
    create: Operation.CreateTable,
) extends StagedRows(lake, begin) {

  private val layout: WriteLayout = WriteLayout(
    s"${create.schema.qualifiedName}.${create.definition.name}",
    create.path.folderIn(create.schema.directory),
    create.definition.columns,
    create.definition.partition,
    create.definition.sort,
    create.schema.id,
    None,
    create.options,
    TextLengths.of(create.definition.tags),
  )

  override protected def qualifiedName: String = layout.name

  override def columns(): Array[catalog.Column] =
    SparkColumns.of(create.definition.columns, session.timeRule, layout.lengths)

  override protected def target(sink: WriteSink): WriteTarget =
    WriteTarget(session, base, TableTarget.Created(create.uuid), layout, sink)

  /** The drop of the other table comes first. */
  override protected def operations(rows: Vector[Operation]): Vector[Operation] =
    replaced.toVector.flatMap(_.operations) ++ (create +: rows)

  override protected def checkOptions(options: CaseInsensitiveStringMap): Unit =
    if (replaced.nonEmpty) new RowOptions(options).checkReplaced()

  /** Warns of features of the replaced table that the new table lacks. */
  override protected def hasCommitted(): Unit = {
    val lost = replaced.toVector.flatMap(old => LostLayout.of(old.table, old.options, create))
    if (lost.nonEmpty)
      StagedCreation.log.warn(
        "{} is another table now, without {} of the table that it replaced. Name them in the statement, or " +
          "give new rows to the table that is there: INSERT OVERWRITE, or `df.write.mode(\"overwrite\")` " +
          "with `insertInto`, or with `saveAsTable` of the same columns.",
        name(),
        lost.mkString(", "),
      )
  }
}

private object StagedCreation {
  private val log = LoggerFactory.getLogger(classOf[StagedCreation])
}
