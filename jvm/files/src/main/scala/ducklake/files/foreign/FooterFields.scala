package ducklake.files.foreign

import ducklake.catalog.types.LakeType
import ducklake.files.io.FileFailure
import ducklake.files.parquet.FileNode
import ducklake.files.store.KnownFile
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.HadoopReadOptions

import scala.util.Using

/** A field of a data file, for readers that find fields by their names.
  *
  * @param id None for a field without a field id
  * @param parent the field id of the field around it; None at the top level
  * @param leaf the type of a field without parts, as DuckDB reads it; None for types that we cannot
  *   read, and for fields with parts
  */
final case class FooterField(
    id: Option[Int],
    name: String,
    parent: Option[Int],
    leaf: Option[LakeType.Primitive],
)

/** The fields of data files. */
object FooterFields {

  /** All fields but the parts of fields without a field id. Lists and maps have their elements, keys
    * and values as parts.
    *
    * @param path in Hadoop's form
    * @param footerSize 0 when it is unknown
    * @param table for messages
    *
    * Errors: the errors of [[FileFailure.naming]].
    */
  def read(
      path: String,
      sizeBytes: Long,
      footerSize: Long,
      table: String,
      conf: Configuration,
  ): Vector[FooterField] =
    FileFailure.naming(path, table) {
      val input = KnownFile.input(path, sizeBytes, conf)
      val options = HadoopReadOptions.builder(conf, input.getPath).build()
      val footer = Using.resource(KnownFile.stream(input, None)) { stream =>
        KnownFile.footer(input, footerSize, options, stream)
      }
      FileNode.ofSchema(footer.getFileMetaData.getSchema).flatMap(fields(_, None))
    }

  private def fields(node: FileNode, parent: Option[Int]): Vector[FooterField] = {
    val (leaf, parts) = node match {
      case FileNode.Leaf(_, _, _, stored) => (ParquetColumns.typeOf(stored), Vector.empty)
      case FileNode.Group(_, _, inner) => (None, inner)
      case FileNode.Repeated(_, _, element) => (None, Vector(element))
      case FileNode.Entries(_, _, key, value) => (None, Vector(key, value))
    }
    val below = if (node.id.isEmpty) Vector.empty else parts.flatMap(fields(_, node.id))
    FooterField(node.id, node.name, parent, leaf) +: below
  }
}
