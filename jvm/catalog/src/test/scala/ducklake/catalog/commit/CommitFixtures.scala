package ducklake.catalog.commit

import ducklake.catalog.AbsenceRule
import ducklake.catalog.DataPathRule
import ducklake.catalog.LakeSettings
import ducklake.catalog.LakeSnapshot
import ducklake.catalog.MigrationRule
import ducklake.catalog.change.operation.CommitInfo
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.PendingCommit
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.operation.TableTarget
import ducklake.catalog.change.schema.TableDefinition
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.model.ColumnStatistics
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PhysicalFile
import ducklake.catalog.option.OptionChange
import ducklake.catalog.option.OptionScope
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.types.Column
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import org.scalatest.Assertions

import java.util.UUID

/** Values that tests of commits are made of. */
trait CommitFixtures extends Assertions {

  protected def settings(uri: CatalogUri): LakeSettings = LakeSettings(
    uri,
    metadataSchema = None,
    dataPath = Some("/data"),
    dataPathRule = DataPathRule.MustAgree,
    absence = AbsenceRule.EmptyLake,
    migration = MigrationRule.Refuse,
    encryption = None,
    version = FormatVersion.V10,
    busyTimeoutMillis = 5000,
    retry = RetryPolicy(10, 5L, 1.5),
    pool = PoolSettings.default,
    jdbcProperties = Map.empty,
  )

  protected def column(id: Long, name: String, lakeType: LakeType): Column =
    Column(ColumnId(id), name, lakeType, nullsAllowed = true, None, None, None, Vector.empty)

  protected def pending(base: LakeSnapshot, operations: Operation*): PendingCommit =
    PendingCommit(base.snapshot, operations.toVector, CommitInfo.none, 10L)

  protected def create(base: LakeSnapshot, name: String): Operation.CreateTable = {
    val schema = base.schema("main").getOrElse(fail("no main"))
    val columns = Vector(column(1, "id", LakeType.Int64), column(2, "name", LakeType.Varchar))
    val definition =
      TableDefinition(schema.id, name, columns, Map.empty, Vector.empty, Vector.empty)
    Operation.CreateTable(
      schema,
      UUID.randomUUID(),
      LakePath(s"$name/", isRelative = true),
      definition,
      Map.empty,
    )
  }

  protected def whole(min: Long, max: Long, rows: Long): ColumnStatistics = ColumnStatistics(
    Some(Literal.Integral(min)),
    Some(Literal.Integral(max)),
    Some(rows),
    Some(0L),
    None,
    Some(100L),
  )

  protected def file(name: String, min: Long, max: Long): NewDataFile =
    NewDataFile(
      name,
      10,
      PhysicalFile(1000, 200, 1),
      RowIds.Fresh,
      None,
      Map(ColumnId(1) -> whole(min, max, 10)),
    )

  protected def tableOf(snapshot: LakeSnapshot, name: String): LakeTable =
    snapshot.table("main", name).getOrElse(fail(s"no table $name"))

  /** The change of one option of the lake, or of a part of it. */
  protected def option(
      key: String,
      value: String,
      scope: OptionScope = OptionScope.Global,
  ): Vector[Operation.SetOptions] =
    Vector(Operation.SetOptions(scope, Vector(OptionChange(key, Some(value)))))

  protected def append(table: LakeTable, files: NewDataFile*): Operation =
    Operation.AppendFiles(TableTarget.Existing(table), files.toVector)
}
