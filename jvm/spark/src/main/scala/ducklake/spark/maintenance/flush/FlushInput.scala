package ducklake.spark.maintenance.flush

import ducklake.catalog.listing.RowVersion
import ducklake.files.path.AttemptNames
import ducklake.files.path.FileNames
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession

import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.ObjectInputStream
import java.io.ObjectOutputStream
import java.io.ObjectStreamClass

/** The input of one task: row versions of one partition, and the names of their files.
  *
  * @param stored the versions, serialised, in one part or several; Spark stores them, on the
  *   driver's disk when its memory is full
  * @param partition as [[FlushedFileKey]] has it
  * @param rows the number of versions
  * @param bytes the size of all parts
  * @param folder of the files below the table's folder, ending in a separator unless it is empty
  */
private[flush] final case class FlushInput(
    stored: Vector[Broadcast[Array[Byte]]],
    partition: Option[Vector[Option[String]]],
    rows: Long,
    bytes: Long,
    folder: String,
    names: Vector[FlushNames],
) {

  def versions: Vector[RowVersion] = stored.flatMap(part => FlushInput.unpacked(part.value))

  /** Whether one task may write both inputs. */
  def mayHold(next: FlushInput): Boolean =
    rows + next.rows <= FlushPages.PageRows && bytes + next.bytes <= FlushPages.PageBytes

  /** Both inputs as one. Together they need no more files than separately.
    *
    * @param next later versions of the same partition
    */
  def and(next: FlushInput): FlushInput =
    copy(
      stored = stored ++ next.stored,
      rows = rows + next.rows,
      bytes = bytes + next.bytes,
      names = names ++ next.names,
    )

  /** The paths that the driver has chosen, below the table's folder. */
  def paths: Vector[String] = names.flatMap(_.paths(folder))
}

/** The names of a data file and of its delete file, if it needs one. */
private[flush] final case class FlushNames(data: AttemptNames, deletes: AttemptNames) {

  def paths(folder: String): Vector[String] = data.known.map(folder + _) ++ deletes.known
}

private[flush] object FlushNames {
  def next(): FlushNames =
    FlushNames(AttemptNames.next(FileNames.dataFile()), AttemptNames.next(FileNames.deleteFile()))
}

private[flush] object FlushInput {

  /** @param versions of one partition, ordered by row id and begin snapshot */
  def of(session: SparkSession, spec: FlushSpec, versions: Vector[RowVersion]): FlushInput = {
    val files = FlushedPositions.of(versions, spec.keys)
    val partition = files.head._1.partition
    val bytes = packed(versions)
    FlushInput(
      Vector(session.sparkContext.broadcast(bytes)),
      partition,
      versions.size.toLong,
      bytes.length.toLong,
      spec.folder(partition),
      files.map(_ => FlushNames.next()),
    )
  }

  /** Puts the parts of each partition together, as far as a file may hold them, so that a partition
    * whose rows are scattered does not get many small files.
    *
    * @param parts the parts of a partition are in the order of their versions
    */
  def together(parts: Vector[FlushInput]): Vector[FlushInput] = {
    val ofPartition = parts.groupBy(_.partition)
    parts.map(_.partition).distinct.flatMap { partition =>
      ofPartition(partition).foldLeft(Vector.empty[FlushInput]) {
        case (done :+ last, next) if last.mayHold(next) => done :+ last.and(next)
        case (done, next) => done :+ next
      }
    }
  }

  /** One array instead of many objects: Spark measures and stores it at once. */
  private def packed(versions: Vector[RowVersion]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out = new ObjectOutputStream(bytes)
    out.writeInt(versions.size)
    versions.zipWithIndex.foreach { case (version, index) =>
      // Without a reset the stream would keep every object that it has written.
      if (index % ResetRows == 0) out.reset()
      out.writeObject(version)
    }
    out.close()
    bytes.toByteArray
  }

  private def unpacked(bytes: Array[Byte]): Vector[RowVersion] = {
    val in = new OwnClasses(bytes)
    Vector.fill(in.readInt())(in.readObject() match {
      case version: RowVersion => version
      case other => throw new IllegalStateException(s"no row version: ${other.getClass}")
    })
  }

  private val ResetRows = 10000

  /** Finds our classes with our own class loader. Java would use the loader of the class that
    * reads. For the elements of a collection that is Scala's loader, and Spark loads Scala
    * separately from our jar.
    */
  private final class OwnClasses(bytes: Array[Byte])
      extends ObjectInputStream(new ByteArrayInputStream(bytes)) {
    private val loader = classOf[RowVersion].getClassLoader

    override protected def resolveClass(described: ObjectStreamClass): Class[?] =
      Class.forName(described.getName, false, loader)
  }
}
