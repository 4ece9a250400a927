package ducklake.catalog.jdbc

import ducklake.catalog.sql.Bind
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.Sql
import org.slf4j.LoggerFactory

import java.sql.Connection
import java.sql.PreparedStatement
import java.sql.ResultSet
import java.sql.SQLException
import java.sql.Types
import java.time.Instant
import java.time.ZoneOffset

/** Runs statements within one call of [[Database]]. */
sealed class Session private[jdbc] (
    connection: Connection,
    policy: ConnectionPolicy,
    dialect: Dialect,
) {

  /** All rows of a query, decoded. */
  def query[A](sql: Sql)(decode: Row => A): Vector[A] = {
    val rows = Vector.newBuilder[A]
    foreach(sql)(row => rows += decode(row))
    rows.result()
  }

  /** The first row, if there is one. The rows after it are not decoded. */
  def first[A](sql: Sql)(decode: Row => A): Option[A] =
    reading(sql)(result => Option.when(result.next())(decode(new Row(result, sql.text))))

  /** The time by the clock of the database server, or by ours when there is no server. */
  def now(): Instant =
    dialect.clock.flatMap(first(_)(_.instant(1))).getOrElse(Instant.now())

  /** Whether the table exists. */
  def hasTable(name: String): Boolean =
    tables(Vector(name)).nonEmpty

  /** The names of the tables that exist. */
  def tables(names: Vector[String]): Vector[String] =
    names
      .grouped(Session.NamesPerQuestion)
      .flatMap(some => query(dialect.tables(some))(_.text(1)))
      .toVector

  /** Like [[first]], but None when a table of the statement does not exist. Only for
    * [[Database.single]], because this error aborts a whole transaction in PostgreSQL.
    */
  def firstIfTable[A](sql: Sql)(decode: Row => A): Option[A] =
    try first(sql)(decode)
    catch {
      case error: SQLException if Session.isNoTable(policy.classify(error)) => None
    }

  /** Calls the action for each row, without collecting the rows. */
  def foreach(sql: Sql)(action: Row => Any): Unit =
    reading(sql) { result =>
      val row = new Row(result, sql.text)
      while (result.next()) action(row): Unit
    }

  private def reading[A](sql: Sql)(use: ResultSet => A): A = {
    val started = System.nanoTime()
    val statement = connection.prepareStatement(sql.text)
    val found =
      try {
        statement.setFetchSize(Session.FetchSize)
        Session.bind(statement, sql.binds.map(dialect.stored))
        val result = statement.executeQuery()
        try use(result)
        finally result.close()
      } finally statement.close()
    Session.report(sql, System.nanoTime() - started)
    found
  }

  /** Runs a statement that returns no rows. */
  protected def run(sql: Sql): Unit = {
    val started = System.nanoTime()
    val statement = connection.prepareStatement(sql.text)
    try {
      Session.bind(statement, sql.binds.map(dialect.stored))
      statement.executeUpdate(): Unit
    } finally {
      statement.close()
      Session.report(sql, System.nanoTime() - started)
    }
  }
}

/** Runs statements of one transaction that changes the database. */
final class WriteSession private[jdbc] (
    connection: Connection,
    policy: ConnectionPolicy,
    dialect: Dialect,
) extends Session(connection, policy, dialect) {

  /** Runs a statement that returns no rows. */
  def execute(sql: Sql): Unit = run(sql)
}

private[jdbc] object Session {
  private val log = LoggerFactory.getLogger(classOf[Session])

  private val FetchSize = 5000
  private val NamesPerQuestion = 1000

  /** Binds values in the form in which the database stores them. */
  private[jdbc] def bind(statement: PreparedStatement, binds: Vector[Bind]): Unit =
    binds.zipWithIndex.foreach { case (bind, index) =>
      val at = index + 1
      bind match {
        case Bind.Number(value) => statement.setLong(at, value)
        case Bind.Text(value) => statement.setString(at, value)
        case Bind.Flag(value) => statement.setBoolean(at, value)
        case Bind.Uuid(value) => statement.setObject(at, value)
        case Bind.Moment(value) => statement.setObject(at, value.atOffset(ZoneOffset.UTC))
        case Bind.Bytes(value) => statement.setBytes(at, value.toArray)
        case Bind.Absent => statement.setNull(at, Types.NULL)
      }
    }

  private def isNoTable(failure: SqlFailure): Boolean = failure match {
    case SqlFailure.NoSuchTable(_) => true
    case _ => false
  }

  private def report(sql: Sql, nanos: Long): Unit =
    if (log.isDebugEnabled) {
      val kinds = sql.binds.map {
        case Bind.Number(_) => "number"
        case Bind.Text(_) => "text"
        case Bind.Flag(_) => "flag"
        case Bind.Uuid(_) => "uuid"
        case Bind.Moment(_) => "moment"
        case Bind.Bytes(_) => "bytes"
        case Bind.Absent => "null"
      }
      log.debug("{} ms: {} [{}]", nanos / 1000000, sql.text, kinds.mkString(", "))
    }
}
