package ducklake.catalog.testkit

/** Lakes with the table `t(a int64, b varchar)`, whose metadata is what DuckDB 1.5.5 left after the
  * statements named here, less what no test reads.
  */
object ChangeSamples {

  /** The table alone, made by snapshot 1. */
  def table(version: String = "1.0"): TestLake = {
    val lake = TestLake.create(version)
    lake.snapshot(1, 1, 0, "created_table:\"main\".\"t\"")
    lake.table(1, "t", (1, "a", "int64"), (2, "b", "varchar"))
    if (version == "1.0") lake.run("INSERT INTO ducklake_schema_versions VALUES (1, 1, 1)")
    lake
  }

  /** Snapshots 2 to 4 insert, 5 and 6 delete rows of the first file, 7 updates a row of it, 8 deletes
    * all rows of the second file. DuckDB replaces the delete file with each delete.
    */
  def deletes(): TestLake = {
    val lake = table()
    (0L to 2L).foreach { file =>
      lake.snapshot(file + 2, 1, file + 1, "inserted_into_table:1")
      lake.dataFile(file, 1, file + 2)
    }
    lake.snapshot(5, 1, 4, "deleted_from_table:1")
    lake.snapshot(6, 1, 5, "deleted_from_table:1")
    lake.snapshot(7, 1, 7, "inserted_into_table:1,deleted_from_table:1")
    lake.dataFile(5, 1, 7)
    lake.snapshot(8, 1, 7, "deleted_from_table:1")
    lake.run("UPDATE ducklake_data_file SET end_snapshot = 8 WHERE data_file_id = 1")
    deleteFile(lake, id = 6, dataFile = 0, begin = 5, partialMax = "7")
    lake
  }

  /** Inlined rows and inlined deletes: row 0 is inserted by 2, updated by 3 and 4 and deleted by 11,
    * row 1 lives from 2 to 5. Snapshot 6 inserts a file, from which 7 and 8 delete. Snapshot 9 adds
    * column `c` with default 7, and 10 inserts row 23.
    */
  def inlined(): TestLake = {
    val lake = table()
    (2L to 11L).foreach(id => lake.snapshot(id, if (id < 9) 1 else 2, id, "inlined_insert:1"))
    lake.dataFile(3, 1, 6)
    lake.run(
      "INSERT INTO ducklake_schema_versions VALUES (9, 2, 1)",
      "INSERT INTO ducklake_column (column_id, begin_snapshot, table_id, column_order, " +
        "column_name, column_type, initial_default, nulls_allowed) " +
        "VALUES (3, 9, 1, 3, 'c', 'int32', '7', 1)",
      "INSERT INTO ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1), " +
        "(1, 'ducklake_inlined_data_1_2', 2)",
      "CREATE TABLE ducklake_inlined_data_1_1(row_id BIGINT, begin_snapshot BIGINT, " +
        "end_snapshot BIGINT, a BIGINT, b VARCHAR)",
      "INSERT INTO ducklake_inlined_data_1_1 VALUES (0, 2, 3, 1, 'a'), (1, 2, 5, 2, 'b'), " +
        "(2, 2, 8, 3, 'c'), (0, 3, 4, 1, 'u'), (0, 4, 11, 1, 'w'), (5, 8, NULL, 12, 'x'), " +
        "(2, 8, NULL, 3, 'x')",
      "CREATE TABLE ducklake_inlined_data_1_2(row_id BIGINT, begin_snapshot BIGINT, " +
        "end_snapshot BIGINT, a BIGINT, b VARCHAR, c BIGINT)",
      "INSERT INTO ducklake_inlined_data_1_2 VALUES (23, 10, NULL, 4, 'd', 4)",
      "CREATE TABLE ducklake_inlined_delete_1(file_id BIGINT, row_id BIGINT, begin_snapshot BIGINT)",
      "INSERT INTO ducklake_inlined_delete_1 VALUES (3, 0, 7), (3, 1, 7), (3, 2, 8)",
    )
    lake
  }

  /** A delete file of 7 rows. */
  def deleteFile(
      lake: TestLake,
      id: Long,
      dataFile: Long,
      begin: Long,
      end: String = "NULL",
      partialMax: String = "NULL",
  ): Unit =
    lake.run(
      s"INSERT INTO ducklake_delete_file VALUES ($id, 1, $begin, $end, $dataFile, " +
        s"'d$id.parquet', 1, 'parquet', 7, 70, 9, NULL, $partialMax)"
    )
}
