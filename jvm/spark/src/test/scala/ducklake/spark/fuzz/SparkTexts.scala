package ducklake.spark.fuzz

import ducklake.catalog.error.LakeException
import ducklake.catalog.sql.FormatVersion
import ducklake.spark.config.CatalogConfig
import ducklake.spark.definition.KeyText
import ducklake.spark.definition.QuotedName
import ducklake.spark.definition.SortOrderText
import ducklake.spark.errors.DuckLakeException
import ducklake.spark.extension.AlterClause
import ducklake.spark.extension.AtClause
import ducklake.spark.extension.foreign.DuckDbStatements
import ducklake.spark.extension.foreign.ForeignStatements
import ducklake.spark.extension.foreign.MeantStatements
import ducklake.spark.extension.foreign.ReplaceUsing
import ducklake.spark.extension.foreign.StatementTable
import ducklake.spark.extension.foreign.TransactionWords
import ducklake.spark.sparkapi.sql.NameText
import ducklake.spark.sparkapi.sql.SparkIntervals
import ducklake.spark.sparkapi.sql.VariantStep
import ducklake.spark.sparkapi.view.DuckDbText
import ducklake.spark.streaming.upsert.UpsertOptions
import ducklake.spark.types.TextLengths
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters.MapHasAsJava

/** Everything of this module that reads a text of users, of a catalog or of a view of DuckDB: it
  * answers each text, or refuses it with an error of ours. Statements are read as if all names were
  * those of tables of a lake. A target of Jazzer, and of [[SparkTextsSpec]].
  */
object SparkTexts {

  private def table(name: Vector[String]): Option[StatementTable] =
    name.lastOption.map(StatementTable("lake", Vector("main"), _))

  private val unparsed = new RuntimeException("Spark does not parse it")

  private val statements: Vector[String => Any] = Vector(
    AlterClause.parse(_).map(_.call("lake", "main")),
    AtClause.rewrite,
    MeantStatements.rewrite(_, table, _ => true),
    ReplaceUsing.rewrite(_, table, _ => Some(Vector("a", "b c"))),
    TransactionWords.find,
    ForeignStatements.refuseParsed(_, table, _ => false),
    ForeignStatements.refuse(_, table, unparsed),
    DuckDbStatements.refuse(_, _ => true, unparsed),
    DuckDbText.forSpark,
  )

  private val words: Vector[String => Any] = Vector(
    new KeyText(FormatVersion.V10).parse,
    SortOrderText.parse,
    QuotedName.unquoted,
    NameText.parts,
    SparkIntervals.parse,
    VariantStep.parse,
    text => TextLengths.of(Map(TextLengths.Tag -> text)),
    text => UpsertOptions.of(options("merge-keys" -> text)),
    text => CatalogConfig.parse("lake", Map("uri" -> text)),
    text => CatalogConfig.parse("lake", Map("uri" -> "ducklake:sqlite:a", "pool.size" -> text)),
  )

  /** Gives the text to all readers. */
  def readByAll(text: String): Unit = (statements ++ words).foreach(orRefused(_, text))

  /** Gives the text behind the first byte to the reader that this byte chooses. */
  def fuzzerTestOneInput(input: Array[Byte]): Unit =
    input.headOption.foreach { choice =>
      val readers = statements ++ words
      val text = new String(input, 1, input.length - 1, UTF_8)
      orRefused(readers(Math.floorMod(choice.toInt, readers.size)), text)
    }

  /** Gives the text to the readers of statements. */
  def readAsStatement(text: String): Unit = statements.foreach(orRefused(_, text))

  private def options(entries: (String, String)*): CaseInsensitiveStringMap =
    new CaseInsensitiveStringMap(entries.toMap.asJava)

  private def orRefused(read: String => Any, text: String): Unit =
    try read(text): Unit
    catch { case _: LakeException | _: DuckLakeException => () }
}
