package ducklake.catalog.jdbc.address

import org.postgresql.PGProperty

import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.Socket
import java.net.SocketException
import java.util.Properties
import javax.net.SocketFactory

/** Connects the driver of PostgreSQL to the address of libpq's keyword `hostaddr`. The driver gets
  * only the name of the host and checks the certificate against it; the name is not looked up.
  *
  * @param properties of the connection
  */
private[address] final class AddressedSockets(properties: Properties) extends SocketFactory {

  /** A connected socket; the driver connects only unconnected sockets. */
  override def createSocket(): Socket = {
    val address = properties.getProperty(AddressedSockets.Address)
    val port = PGProperty.PG_PORT.getInt(properties)
    val timeoutMillis = PGProperty.CONNECT_TIMEOUT.getInt(properties) * 1000
    val socket = new Socket()
    try socket.connect(new InetSocketAddress(address, port), timeoutMillis)
    catch {
      case failure: Throwable =>
        socket.close()
        throw failure
    }
    socket
  }

  override def createSocket(host: String, port: Int): Socket = refuse

  override def createSocket(host: String, port: Int, from: InetAddress, fromPort: Int): Socket =
    refuse

  override def createSocket(host: InetAddress, port: Int): Socket = refuse

  override def createSocket(to: InetAddress, port: Int, from: InetAddress, fromPort: Int): Socket =
    refuse

  private def refuse: Nothing =
    throw new SocketException("a connection to the host's address names no other address")
}

private[address] object AddressedSockets {

  /** The property with the address. */
  private val Address = "ducklake.hostaddr"

  /** Properties of a connection to this address. */
  def properties(address: String): Map[String, String] =
    Map("socketFactory" -> classOf[AddressedSockets].getName, Address -> address)
}
