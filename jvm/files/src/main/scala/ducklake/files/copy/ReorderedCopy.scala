package ducklake.files.copy

import ducklake.files.copy.plan.CopyPlan
import ducklake.files.copy.plan.SourceFiles
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import java.nio.ByteBuffer

import scala.util.Using

/** Copies rows as [[RowCopier]] does, in an order that the caller chooses: the caller gets each row
  * as bytes, and returns the bytes in the new order.
  *
  * @param conf the configuration of the new file
  */
final class ReorderedCopy(
    files: SourceFiles,
    plan: CopyPlan,
    format: CopyFormat,
    conf: Configuration,
) {

  /** The live rows, file by file in the order of their positions.
    *
    * @return their first and last snapshot, when the new file embeds them
    *
    * Errors: `UnreadableFile` naming the source.
    */
  def read(take: Array[Byte] => Unit): Option[(Long, Long)] = {
    val target = new HandedOut(plan.leaves.size, take)
    val spans = files.files.indices.flatMap { number =>
      Using.resource(SourceReader.open(files, number)) { source =>
        val copy = new SourceCopy(source, plan, files.shape(number), target, format)
        LiveGroup.of(source).foreach(copy.rowsOf)
        copy.span
      }
    }
    SourceCopy.union(spans)
  }

  /** @param path in Hadoop's form; the file must not exist
    * @param rows the rows of [[read]], in the new order
    * @param span the result of [[read]]
    *
    * Errors: `UnwritableFile`. The caller deletes the file then.
    */
  def write(path: String, rows: Iterator[Array[Byte]], span: Option[(Long, Long)]): WrittenCopy =
    new NewFile(files.table, plan, format, conf).write(path) { groups =>
      val leaves = plan.leaves
        .map(_.descriptor)
        .map { leaf =>
          (leaf.getPrimitiveType.getPrimitiveTypeName, leaf.getMaxDefinitionLevel)
        }
        .toArray
      while (rows.hasNext) {
        val some = next(rows, math.min(groups.room, ReorderedCopy.RowsAtOnce))
        groups.add(some.size)(put(some, leaves, _))
      }
      span
    }

  private def next(rows: Iterator[Array[Byte]], most: Int): Vector[Array[Byte]] = {
    val some = Vector.newBuilder[Array[Byte]]
    var count = 0
    while (count < most && rows.hasNext) {
      some += rows.next()
      count += 1
    }
    some.result()
  }

  private def put(
      rows: Vector[Array[Byte]],
      leaves: Array[(PrimitiveTypeName, Int)],
      to: Vector[LeafValueWriter],
  ): Unit =
    rows.foreach { row =>
      val bytes = ByteBuffer.wrap(row)
      leaves.indices.foreach { at =>
        val (name, defined) = leaves(at)
        to(at).addBytes(bytes, name, defined)
      }
    }
}

private object ReorderedCopy {
  private val RowsAtOnce = 256
}

/** Puts the leaves of each row together and hands it out. */
private final class HandedOut(leaves: Int, take: Array[Byte] => Unit) extends RowTarget {

  override def room: Int = Int.MaxValue

  override def add(added: Int)(fill: Vector[LeafValueWriter] => Unit): Unit = {
    val encoded = Vector.fill(leaves)(new RowBytes)
    fill(encoded)
    val parts = encoded.map(_.result()).toArray
    var row = 0
    while (row < added) {
      take(joined(parts, row))
      row += 1
    }
  }

  private def joined(parts: Array[(Array[Byte], Array[Int])], row: Int): Array[Byte] = {
    def start(ends: Array[Int]): Int = if (row == 0) 0 else ends(row - 1)
    val size = parts.map { case (_, ends) => ends(row) - start(ends) }.sum
    val whole = ByteBuffer.allocate(size)
    parts.foreach { case (bytes, ends) => whole.put(bytes, start(ends), ends(row) - start(ends)) }
    whole.array()
  }
}
