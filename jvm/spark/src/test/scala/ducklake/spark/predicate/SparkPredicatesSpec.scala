package ducklake.spark.predicate

import ducklake.catalog.predicate.Comparison
import ducklake.catalog.predicate.Predicate
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.apache.spark.sql.connector.expressions
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.filter
import org.apache.spark.sql.types.*
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

final class SparkPredicatesSpec extends AnyFunSuite {

  private def column(id: Long, name: String, dataType: LakeType, children: Column*): Column =
    Column(ColumnId(id), name, dataType, nullsAllowed = true, None, None, None, children.toVector)

  private val predicates = new SparkPredicates(
    Vector(
      column(1, "a", LakeType.Int32),
      column(2, "s", LakeType.StructType, column(3, "x", LakeType.Varchar)),
      column(4, "l", LakeType.ListType, column(5, "element", LakeType.Int32)),
      column(6, "ms", LakeType.TimestampMs),
      column(7, "id", LakeType.Uuid),
    )
  )

  private def spark(name: String, children: Expression*): filter.Predicate =
    new filter.Predicate(name, children.toArray)

  private def ref(parts: String*): NamedReference = Expressions.column(parts.mkString("."))

  private def int(value: Int): LiteralValue = LiteralValue(value, IntegerType)

  private val nullLiteral: LiteralValue =
    LiteralValue(Option.empty[AnyRef].orNull, IntegerType)

  private val aIsFive =
    Predicate.Compare(ColumnId(1), Comparison.Equal, Literal.Integral(5))

  test("a comparison is read from both sides") {
    val less = Predicate.Compare(ColumnId(1), Comparison.Less, Literal.Integral(5))

    assert(predicates.translate(spark("<", ref("a"), int(5))).contains(less))
    assert(predicates.translate(spark(">", int(5), ref("a"))).contains(less))
  }

  test("a null-safe comparison is never NULL") {
    val expected = Predicate.And(Predicate.IsNotNull(ColumnId(1)), aIsFive)

    assert(predicates.translate(spark("<=>", ref("a"), int(5))).contains(expected))
  }

  test("NULL in a list is left out, and a list of NULLs is never true") {
    val one = Predicate.In(ColumnId(1), Vector(Literal.Integral(5)))

    assert(predicates.translate(spark("IN", ref("a"), int(5), nullLiteral)).contains(one))
    assert(predicates.translate(spark("IN", ref("a"), nullLiteral)).contains(Predicate.False))
  }

  test("NULL in a list spoils only what must be exact") {
    val known = spark("IN", ref("a"), int(5))
    val withNull = spark("IN", ref("a"), int(5), nullLiteral)

    assert(predicates.exact(spark("NOT", known)) == predicates.translate(spark("NOT", known)))
    assert(predicates.exact(spark("NOT", withNull)).isEmpty)
    assert(predicates.exact(spark("OR", spark("=", ref("a"), int(1)), withNull)).isEmpty)
  }

  test("a struct's field is a column, a list's element is not") {
    val text = LiteralValue(UTF8String.fromString("é"), StringType)

    assert(
      predicates.translate(spark("=", ref("s", "x"), text)) ==
        Some(Predicate.Compare(ColumnId(3), Comparison.Equal, Literal.Text("é")))
    )
    assert(predicates.translate(spark("IS_NULL", ref("l"))).isEmpty)
  }

  test("one side of OR that cannot be said makes the whole unsayable") {
    val known = spark("=", ref("a"), int(5))
    val unknown = spark("=", spark("%", ref("a"), int(3)), int(1))

    assert(predicates.translate(spark("OR", known, unknown)).isEmpty)
    assert(predicates.translate(spark("AND", known, unknown)).isEmpty)
    assert(
      predicates.translate(spark("AND", known, known)).contains(Predicate.And(aIsFive, aIsFive))
    )
  }

  test("a timestamp between two ticks of the column's unit stays with Spark") {
    val aligned = LiteralValue(7000L, TimestampNTZType)
    val between = LiteralValue(7001L, TimestampNTZType)

    assert(
      predicates.translate(spark(">", ref("ms"), aligned)) ==
        Some(Predicate.Compare(ColumnId(6), Comparison.Greater, Literal.Timestamp(7)))
    )
    assert(predicates.translate(spark(">", ref("ms"), between)).isEmpty)
  }

  test("only equality with a canonical UUID is said") {
    val canonical = LiteralValue(
      UTF8String.fromString("550e8400-e29b-41d4-a716-446655440000"),
      StringType,
    )
    val upper = LiteralValue(
      UTF8String.fromString("550E8400-E29B-41D4-A716-446655440000"),
      StringType,
    )

    assert(predicates.translate(spark("=", ref("id"), canonical)).isDefined)
    assert(predicates.translate(spark("<", ref("id"), canonical)).isEmpty)
    assert(predicates.translate(spark("=", ref("id"), upper)).isEmpty)
  }
}

/** A literal in Spark's internal form. */
private final case class LiteralValue(value: Any, dataType: DataType)
    extends expressions.Literal[Any]
