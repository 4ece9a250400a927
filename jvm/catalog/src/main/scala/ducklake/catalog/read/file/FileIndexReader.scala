package ducklake.catalog.read.file

import ducklake.catalog.cache.BucketIndex
import ducklake.catalog.cache.ColumnIndex
import ducklake.catalog.cache.ColumnIndexBuilder
import ducklake.catalog.cache.FileIndex
import ducklake.catalog.cache.FileIndexBuilder
import ducklake.catalog.cache.FileIndexes
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.jdbc.Session
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.PartitionSpec
import ducklake.catalog.model.Snapshot
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.query.FileFilter
import ducklake.catalog.sql.query.IndexSql
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType

/** Provides the index of a table's files at a snapshot: from the cache, updated from an older
  * index, or read from the database. It works inside the consistent read of a listing.
  */
private[file] final class FileIndexReader(dialect: Dialect, cache: FileIndexes) {

  /** @param columns leaf columns whose statistics the index must have
    * @param specs the partition specs whose buckets the index must have; empty: no buckets
    * @param newest the newest snapshot that the session sees
    */
  def index(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      newest: Snapshot,
      columns: Set[ColumnId],
      specs: Vector[PartitionSpec],
  ): FileIndex = {
    val sql = new IndexSql(dialect, head.version)
    val types = LeafColumns.of(table.columns)
    val base = cache
      .nearest(head.identity, table.id, head.snapshot.id)
      .flatMap(new FileIndexUpdate(session, sql, head, table, newest).advance(_, types))
      .getOrElse(readFiles(session, sql, head, table, newest))
    val used = columns ++ BucketIndex.columns(specs)
    val missing = used.filter(id => types.contains(id) && isMissing(base, id, types(id)))
    val complete =
      if (missing.isEmpty) base
      else base.withColumns(FileIndexReader.readColumns(session, sql, table, base, types, missing))
    val whole =
      if (specs.isEmpty || !complete.isPartitioned || complete.buckets.nonEmpty) complete
      else
        complete.withBuckets(new BucketIndexReader(session, sql, table).read(complete, specs))
    cache.keep(head.identity, table.id, whole, used)
    whole
  }

  private def isMissing(index: FileIndex, id: ColumnId, dataType: LakeType.Primitive): Boolean =
    index.columns.get(id).forall(_.dataType != dataType)

  private def readFiles(
      session: Session,
      sql: IndexSql,
      head: CatalogHead,
      table: LakeTable,
      newest: Snapshot,
  ): FileIndex = {
    val builder = new FileIndexBuilder
    session.foreach(sql.files(table.id, head.snapshot.id, 0)) { row =>
      builder.add(row.long(1), row.long(2), row.longOr(3, -1))
    }
    builder.build(head.snapshot, newest)
  }
}

private[file] object FileIndexReader {

  /** Reads the statistics of all given columns, with one statement for each choice of files. */
  def readColumns(
      session: Session,
      sql: IndexSql,
      table: LakeTable,
      index: FileIndex,
      types: Map[ColumnId, LakeType.Primitive],
      columns: Set[ColumnId],
      choices: Vector[FileFilter] = Vector(FileFilter.All),
  ): Map[ColumnId, ColumnIndex] = {
    val builders = columns.map(id => id -> new ColumnIndexBuilder(types(id), index.size)).toMap
    val firstId = index.ids.headOption.getOrElse(0L)
    choices.foreach(fill(session, sql, table, index, builders, firstId, _))
    builders.map { case (id, builder) => id -> builder.build() }
  }

  /** Reads the statistics of files whose id is `fromId` or greater into the builders. */
  def fill(
      session: Session,
      sql: IndexSql,
      table: LakeTable,
      index: FileIndex,
      builders: Map[ColumnId, ColumnIndexBuilder],
      fromId: Long,
      choice: FileFilter = FileFilter.All,
  ): Unit = {
    val single = Option.when(builders.size == 1)(builders.head._2)
    val statement =
      sql.statistics(table.id, builders.keys.toVector, ColumnIndex.Flags, fromId, choice)
    var guess = 0
    session.foreach(statement) { row =>
      val at = index.position(row.long(1), guess)
      if (at >= 0) {
        guess = at + 1
        val builder = single.getOrElse(builders(ColumnId(row.long(2))))
        val (min, max) = (row.textOption(3), row.textOption(4))
        builder.put(at, min, max, row.long(5).toInt, row.longOr(6, 0L))
      }
    }
  }
}
