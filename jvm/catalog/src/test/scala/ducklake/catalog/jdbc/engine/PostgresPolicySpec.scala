package ducklake.catalog.jdbc.engine

import ducklake.catalog.jdbc.BaseTablesSpec
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.sql.PostgresDialect
import org.postgresql.util.PSQLException
import org.postgresql.util.PSQLState
import org.postgresql.util.ServerErrorMessage
import org.scalatest.funsuite.AnyFunSuite

import java.io.EOFException

class PostgresPolicySpec extends AnyFunSuite {

  private val policy = new PostgresPolicy(
    CatalogUri.Postgres("localhost", 5432, "lake", Map.empty),
    5000,
    PoolSettings.default,
    Map.empty,
    BaseTablesSpec.of(PostgresDialect("public")),
  )

  private def reported(severity: String, state: String): PSQLException =
    new PSQLException(new ServerErrorMessage(s"S$severity\u0000C$state\u0000Mno\u0000"))

  private def lost: PSQLException =
    new PSQLException("An I/O error occurred", PSQLState.CONNECTION_FAILURE, new EOFException())

  test("an error that the server reports for a COMMIT means that nothing was committed") {
    Seq("40001", "23505", "53100", "XX000").foreach { state =>
      assert(policy.isRolledBack(reported("ERROR", state)), state)
    }
    assert(policy.isRolledBack(reported("FEHLER", "40001")))
  }

  test("when the server crashes in a COMMIT, the commit may be done") {
    Seq("58030", "53100", "XX000").foreach { state =>
      assert(!policy.isRolledBack(reported("PANIC", state)), state)
      assert(!policy.isRolledBack(reported("PANIK", state)), state)
      assert(!policy.isRolledBack(reported("FATAL", state)), state)
    }
  }

  test("when the connection ends after an error of a COMMIT, the commit may be done") {
    val first = reported("ERROR", "XX000")
    first.setNextException(lost)

    assert(!policy.isRolledBack(first))
    assert(!policy.isRolledBack(lost))
    assert(!policy.isRolledBack(reported("FATAL", "57P01")))
    assert(!policy.isRolledBack(reported("ERROR", "57P02")))
  }
}
