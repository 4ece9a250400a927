package ducklake.catalog.jdbc.engine

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.PoolExhausted
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.SqlFailure
import ducklake.catalog.jdbc.address.CatalogUri
import org.scalatest.funsuite.AnyFunSuite

import java.net.InetSocketAddress
import java.net.Socket
import java.sql.Connection
import java.sql.SQLException
import java.util.Properties
import java.util.concurrent.atomic.AtomicInteger

class ConnectionPoolSpec extends AnyFunSuite {

  private def connect(): Connection =
    new org.sqlite.JDBC().connect("jdbc:sqlite::memory:", new Properties)

  test("connections are kept, up to the size of the pool") {
    val opened = new AtomicInteger
    val pool = new ConnectionPool(
      PoolSettings(2, 0L),
      () => {
        opened.incrementAndGet(): Unit
        connect()
      },
    )

    val (first, second) = (pool.lend(), pool.lend())
    intercept[PoolExhausted](pool.lend()): Unit
    first.giveBack()
    val again = pool.lend()

    assert(again.connection eq first.connection)
    assert(!second.connection.isClosed)
    assert(opened.get == 2)
    pool.close()
    assert(!again.connection.isClosed)
  }

  test("a connection that cannot be opened takes no place") {
    val pool = new ConnectionPool(PoolSettings(1, 0L), () => throw new SQLException("no", "08001"))

    intercept[SQLException](pool.lend()): Unit
    assert(intercept[SQLException](pool.lend()).getMessage == "no")
  }

  private def refusal(uri: CatalogUri.Postgres): LakeError =
    intercept[LakeException] {
      Databases
        .open(uri, None, 1000, PoolSettings.default, Map("connectTimeout" -> "5"))
        .single("read the lake")(_ => ())
    }.error

  test("a server that is not there: the error says what is wrong") {
    val taken = new Socket
    taken.bind(new InetSocketAddress("127.0.0.1", 0)) // nobody listens, and nobody else can
    val port = taken.getLocalPort
    val nowhere = CatalogUri.Postgres("127.0.0.1", port, "d", Map("user" -> "u"))
    val unknown = nowhere.copy(host = "no-such-host.invalid")

    val refused = refusal(nowhere)
    assert(refused.condition == "DUCKLAKE_CONNECTION_FAILED")
    assert(refused.parameters("why") == "Connection refused")
    assert(
      refusal(unknown) == LakeError.UnknownHost(
        s"postgres:d at no-such-host.invalid:$port",
        "read the lake",
        "no-such-host.invalid",
      )
    )
    taken.close()
  }

  test("answers of PostgreSQL by what can be done about them") {
    def of(state: String) = SqlFailure.postgres(new SQLException("why", state))

    assert(of("28P01") == SqlFailure.LoginRefused("why"))
    assert(of("28000") == SqlFailure.LoginRefused("why"))
    assert(of("3D000") == SqlFailure.NoSuchDatabase("why"))
    assert(of("42501") == SqlFailure.NotPermitted("why"))
    assert(of("25006") == SqlFailure.NotPermitted("why"))
    assert(of("57014") == SqlFailure.Ended("why"))
    assert(of("57P05") == SqlFailure.LostConnection("why"))
    assert(of("25P03") == SqlFailure.LostConnection("why"))
    assert(of("53100") == SqlFailure.NoRoom("why"))
    assert(of("53300") == SqlFailure.Refused("why"))
    assert(of("57P03") == SqlFailure.Refused("why"))
    assert(of("57P01") == SqlFailure.LostConnection("why"))
    assert(of("08006") == SqlFailure.LostConnection("why"))
    val passing = Vector("08006", "53300", "40001", "55P03", "42P01")
    val lasting = Vector("28P01", "3D000", "42501", "53100", "22000")
    assert(passing.forall(of(_).mayPass))
    assert(!lasting.exists(of(_).mayPass))
  }
}
