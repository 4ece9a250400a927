package ducklake.files.copy

import ducklake.files.copy.plan.CopyPlan
import ducklake.files.copy.plan.SourceFiles
import org.apache.hadoop.conf.Configuration

import scala.util.Using

/** Copies the live rows of some files to a new file, as Parquet stores them: levels and values of
  * each leaf, without conversion of types. Memory holds one row group of a source and one of the
  * new file.
  *
  * @param conf the configuration of the new file
  */
final class RowCopier(files: SourceFiles, plan: CopyPlan, format: CopyFormat, conf: Configuration) {

  /** @param path in Hadoop's form; the file must not exist
    *
    * Errors: `UnreadableFile` naming the source, `UnwritableFile`. The caller deletes the file
    * then.
    */
  def write(path: String): WrittenCopy =
    new NewFile(files.table, plan, format, conf).write(path) { groups =>
      val spans = files.files.indices.flatMap { number =>
        Using.resource(SourceReader.open(files, number)) { source =>
          val copy = new SourceCopy(source, plan, files.shape(number), groups, format)
          LiveGroup.of(source).foreach(copyGroup(_, copy, groups))
          copy.span
        }
      }
      SourceCopy.union(spans)
    }

  private def copyGroup(group: LiveGroup, copy: SourceCopy, groups: NewRowGroups): Unit =
    if (group.isWhole && copy.isLarge(group.number))
      copy.wholeGroup(groups, group.number, group.first)
    else copy.rowsOf(group)
}
