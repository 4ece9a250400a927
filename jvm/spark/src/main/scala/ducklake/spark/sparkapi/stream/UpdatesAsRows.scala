package ducklake.spark.sparkapi.stream

import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend

/** A write that takes the rows of output mode update. */
private[spark] trait UpdatesAsRows extends SupportsStreamingUpdateAsAppend
