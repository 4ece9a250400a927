package ducklake.catalog.fuzz

import ducklake.catalog.change.conflict.ChangeText
import ducklake.catalog.change.operation.WriteRecord
import ducklake.catalog.jdbc.address.CatalogUriParser
import ducklake.catalog.jdbc.address.Credentials
import ducklake.catalog.option.VariantShredding
import ducklake.catalog.partition.TransformText
import ducklake.catalog.testkit.Columns
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnDefault
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.TypeText
import ducklake.catalog.types.expression.DefaultSql
import ducklake.catalog.types.inlined.Defaults
import ducklake.catalog.types.inlined.InlineCodec
import ducklake.catalog.types.inlined.NestedText
import ducklake.catalog.types.inlined.StoredValue
import ducklake.catalog.types.text.InstantText
import ducklake.catalog.types.text.OptionText
import ducklake.catalog.types.text.ValueText

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.immutable.ArraySeq

/** Everything of the catalog module that reads a text which others wrote: it answers each text, and
  * throws for none. A target of Jazzer, and of [[CatalogTextsSpec]].
  */
object CatalogTexts {

  private val types: Vector[LakeType.Primitive] = Vector(
    "boolean int8 int64 uint64 int128 uint128 float32 float64 decimal(38,10) decimal(4,1) date time",
    "time_ns timetz timestamp timestamp_s timestamp_ms timestamp_ns timestamptz interval varchar",
    "json blob uuid variant geometry",
  ).flatMap(_.split(' ')).map(TypeText.parse).collect { case known: LakeType.Primitive => known }

  private val columns: Vector[Column] = Vector(
    Columns.struct(1, "s")(Columns.leaf(2, "x", "int32"), Columns.listOf(3, "varchar")),
    Columns.list(1, "l")(Columns.struct(2, "element")(Columns.mapOf(3, "varchar", "timestamp"))),
    Columns.mapOf(1, "decimal(9,2)", "blob"),
  ) ++ types.map(Columns.leaf(1, "c", _))

  private val options: Vector[String => Any] = Vector(
    OptionText.whole(_, 0, 7),
    OptionText.unsigned(_, 0),
    OptionText.number,
    OptionText.flag,
    OptionText.codec,
    OptionText.parquetVersion,
    OptionText.isolationLevel,
    OptionText.share,
    OptionText.age,
    OptionText.readerAge,
    OptionText.bytes(_, 0),
  )

  private val readers: Vector[String => Any] = Vector(
    CatalogUriParser.parse(_, Credentials.none, Map.empty),
    TypeText.parse,
    TransformText.parse,
    text => ChangeText.parse(text).map(ChangeText.print),
    WriteRecord.parse,
    InstantText.parse,
    DefaultSql.ofMessage,
    VariantShredding.of(_),
    text => options.foreach(_(text): Unit),
    text => types.foreach(ValueText.parseStatistic(text, _): Unit),
    text => types.foreach(ValueText.parseCast(text, _): Unit),
    text => columns.foreach(NestedText.parseCast(text, _): Unit),
    text => columns.foreach(NestedText.parseSql(text, _): Unit),
    text => columns.foreach(InlineCodec.decode(StoredValue.Text(text), _): Unit),
    text => columns.foreach(InlineCodec.decode(bytes(text), _): Unit),
    text => columns.foreach(column => Defaults.initial(withDefault(column, text)): Unit),
    text => columns.foreach(column => DefaultSql.of(withDefault(column, text)): Unit),
    text => columns.foreach(column => DefaultSql.of(withLiteral(column, text)): Unit),
  )

  /** Gives the text behind the first byte to the reader that this byte chooses. */
  def fuzzerTestOneInput(input: Array[Byte]): Unit =
    input.headOption.foreach { choice =>
      val text = new String(input, 1, input.length - 1, UTF_8)
      readers(Math.floorMod(choice.toInt, readers.size))(text): Unit
    }

  /** Gives the text to all readers. */
  def readByAll(text: String): Unit = readers.foreach(_(text): Unit)

  private def bytes(text: String): StoredValue =
    StoredValue.Bytes(ArraySeq.unsafeWrapArray(text.getBytes(ISO_8859_1)))

  private def withDefault(column: Column, text: String): Column =
    column.copy(
      initialDefault = Some(text),
      default = Some(ColumnDefault.Expression(text, Some("duckdb"))),
    )

  private def withLiteral(column: Column, text: String): Column =
    column.copy(default = Some(ColumnDefault.LiteralText(text)))
}
