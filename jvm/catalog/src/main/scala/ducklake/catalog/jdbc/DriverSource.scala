package ducklake.catalog.jdbc

import java.io.PrintWriter
import java.sql.Connection
import java.sql.SQLFeatureNotSupportedException
import java.util.logging.Logger
import javax.sql.DataSource

/** A data source that opens connections by a function; all that a pool asks of one. */
private[jdbc] final class DriverSource(open: () => Connection) extends DataSource {
  def getConnection: Connection = open()
  def getConnection(user: String, password: String): Connection = open()
  def getLogWriter: PrintWriter = unsupported
  def setLogWriter(writer: PrintWriter): Unit = ()
  def setLoginTimeout(seconds: Int): Unit = ()
  def getLoginTimeout: Int = 0
  def getParentLogger: Logger = unsupported
  def unwrap[T](kind: Class[T]): T = unsupported
  def isWrapperFor(kind: Class[?]): Boolean = false

  private def unsupported: Nothing = throw new SQLFeatureNotSupportedException()
}
