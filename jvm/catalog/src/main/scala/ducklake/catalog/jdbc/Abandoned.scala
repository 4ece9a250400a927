package ducklake.catalog.jdbc

import scala.util.control.NoStackTrace

/** Thrown within [[Database.write]] to roll back the transaction for a reason that is no failure. The
  * database answered properly, so the connection is used again.
  */
abstract class Abandoned extends RuntimeException with NoStackTrace
