package ducklake.catalog.jdbc

import java.sql.Connection

/** A connection that is lent for one call, in autocommit mode. The thread that took it ends it, once,
  * by one of the two methods; both may throw.
  */
private[jdbc] trait Lease {
  def connection: Connection

  /** Keeps the connection for the next call. No transaction is open on it. */
  def giveBack(): Unit

  /** Ends a connection that nobody is to use again. */
  def discard(): Unit
}
