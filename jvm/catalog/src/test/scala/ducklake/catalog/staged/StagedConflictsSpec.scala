package ducklake.catalog.staged

import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.RowScope
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.commit.CommitFixtures
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.LakeView
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId
import org.scalatest.funsuite.AnyFunSuite

import java.util.UUID

/** What a statement of a transaction may not do after a statement of another thread. All statements
  * here have looked at the base, before any of them was staged.
  */
class StagedConflictsSpec extends AnyFunSuite with CommitFixtures {

  private val main = schemaOf(0, "main")
  private val side = schemaOf(1, "side")
  private val one = tableOf(1, main, "one")
  private val view = LakeView(
    TableId(2),
    UUID.randomUUID(),
    main,
    "shown",
    "spark",
    "SELECT 1 AS id",
    "",
    Map.empty,
    Map.empty,
  )

  private def schemaOf(id: Long, name: String): LakeSchema =
    LakeSchema(
      SchemaId(id),
      UUID.randomUUID(),
      None,
      Vector(name),
      name,
      s"/data/$name/",
      Map.empty,
    )

  private def tableOf(id: Long, in: LakeSchema, name: String): LakeTable = LakeTable(
    TableId(id),
    UUID.randomUUID(),
    in,
    name,
    s"/data/$name/",
    Vector(column(1, "id", LakeType.Int64)),
    Map.empty,
    None,
    None,
  )

  private def makes(name: String, in: LakeSchema = main): Operation = Operation.CreateTable(
    in,
    UUID.randomUUID(),
    LakePath(s"$name/", isRelative = true),
    TableDefinition.of(one).copy(name = name),
    Map.empty,
  )

  private def makesView(name: String, in: LakeSchema = main): Operation =
    Operation.CreateView(in, name, UUID.randomUUID(), "spark", "SELECT 1", "", Map.empty, Map.empty)

  private def makesSchema(name: String, in: Option[LakeSchema] = None): Operation =
    Operation
      .CreateSchema(in, name, UUID.randomUUID(), LakePath(s"$name/", isRelative = true), Map.empty)

  private def renames(to: String): Operation =
    Operation.AlterTable(one, main, TableDefinition.of(one).copy(name = to))

  private val deletes =
    Operation.DeleteRows(one, Vector.empty, Vector.empty, Map.empty, Vector(4L))

  /** Why the second statement is refused after the first one. */
  private def refusal(first: Operation*)(second: Operation*): Option[String] = {
    val begun = StagedLake.empty("/data/").stage(first.toVector, _ => 0L)
    assert(begun.isRight)
    begun.flatMap(_.stage(second.toVector, _ => 0L)).left.toOption.map(_.message)
  }

  test("a name is taken once, by a table or a view, in any case of its letters") {
    for {
      first <- Vector(makes("new"), makesView("New"), renames("NEW"))
      second <- Vector(makes("new"), makesView("new"), Operation.RenameView(view, main, "new"))
    } assert(refusal(first)(second).exists(_.contains("took the name since it began")))
    assert(refusal(makes("new"))(renames("new")).exists(_.contains("main.new")))
    assert(refusal(makesSchema("new"))(makesSchema("New")).exists(_.contains("made it")))
  }

  test("a name is free when its table has got another name, or is dropped") {
    assert(refusal(renames("other"))(makes("one")).isEmpty)
    assert(refusal(Operation.DropTable(one))(makes("one")).isEmpty)
    assert(refusal(makes("new"))(makes("new", side)).isEmpty)
    assert(refusal(makesSchema("new"))(makesSchema("new", Some(side))).isEmpty)
  }

  test("a replacement drops a table and takes its name") {
    val replaces = Vector(Operation.DropTable(one), makes("one"))
    assert(refusal()(replaces*).isEmpty)
    assert(refusal(replaces*)(replaces*).exists(_.contains("dropped it since it began")))
  }

  test("a dropped table does not come back") {
    for (
      second <- Vector(
        renames("one"),
        deletes,
        Operation.Truncate(one),
        Operation.DropTable(one),
      )
    ) assert(refusal(Operation.DropTable(one))(second).exists(_.contains("dropped it")))
  }

  test("a dropped view does not come back") {
    for (
      second <- Vector(
        Operation.RenameView(view, main, "seen"),
        Operation.SetViewTags(view, Map("comment" -> "late")),
        Operation.DropView(view),
      )
    ) assert(refusal(Operation.DropView(view))(second).exists(_.contains("dropped it")))
  }

  test(
    "nothing is made in a schema that is dropped, and no schema is dropped with new things in it"
  ) {
    val made = Vector(makes("t", side), makesView("v", side), makesSchema("s", Some(side)))
    for (each <- made) {
      assert(refusal(Operation.DropSchema(side))(each).exists(_.contains("dropped it")))
      assert(refusal(each)(Operation.DropSchema(side)).exists(_.contains("made something in it")))
    }
    val tags = Operation.SetSchemaTags(side, Map("comment" -> "late"))
    assert(refusal(Operation.DropSchema(side))(tags).exists(_.contains("dropped it")))
    assert(refusal(tags)(Operation.DropSchema(side)).isEmpty)
  }

  test("a table that is emptied is guarded against rows that nobody has seen") {
    val staged = StagedLake.empty("/data/").stage(Vector(Operation.Truncate(one)), _ => 0L)
    val guard = Operation.AssertNoNewRows(one, RowScope.Every)
    assert(staged.map(_.guards) == Right(Vector(guard)))
  }
}
