package ducklake.catalog.jdbc

import scala.util.control.NoStackTrace

/** Thrown within [[Database.write]] to roll back the transaction for a reason other than a failure.
  * The database answered properly, so the connection is reused.
  */
abstract class Abandoned extends RuntimeException with NoStackTrace
