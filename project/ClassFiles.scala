import org.objectweb.asm.ClassReader
import org.objectweb.asm.ClassVisitor
import org.objectweb.asm.FieldVisitor
import org.objectweb.asm.MethodVisitor
import org.objectweb.asm.Opcodes

import java.io.File
import java.io.InputStream
import java.util.zip.ZipFile
import scala.collection.JavaConverters.*
import scala.collection.mutable

/** What a class declares.
  *
  * @param methods access flags by name and descriptor
  * @param fields access flags by name and descriptor
  */
final case class ClassFile(
    name: String,
    access: Int,
    superclass: Option[String],
    interfaces: Seq[String],
    methods: Map[String, Int],
    fields: Map[String, Int],
) {
  def isInterface: Boolean = ClassFile.has(access, Opcodes.ACC_INTERFACE)
  def isAbstract: Boolean = ClassFile.has(access, Opcodes.ACC_ABSTRACT)
  def parents: Seq[String] = superclass.toSeq ++ interfaces
}

object ClassFile {

  def has(access: Int, flag: Int): Boolean = (access & flag) != 0

  def packageOf(name: String): String = name.split('/').dropRight(1).mkString("/")

  def read(input: InputStream): ClassFile = {
    val reader = new Declarations
    new ClassReader(input)
      .accept(reader, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES)
    reader.result
  }

  private final class Declarations extends ClassVisitor(Opcodes.ASM9) {

    private var bare: Option[ClassFile] = None
    private val methods = mutable.Map.empty[String, Int]
    private val fields = mutable.Map.empty[String, Int]

    def result: ClassFile = bare.get.copy(methods = methods.toMap, fields = fields.toMap)

    override def visit(
        version: Int,
        access: Int,
        name: String,
        signature: String,
        superclass: String,
        interfaces: Array[String],
    ): Unit =
      bare = Some(
        ClassFile(name, access, Option(superclass), interfaces.toSeq, Map.empty, Map.empty)
      )

    override def visitMethod(
        access: Int,
        name: String,
        descriptor: String,
        signature: String,
        thrown: Array[String],
    ): MethodVisitor = {
      methods(name + descriptor) = access
      null
    }

    override def visitField(
        access: Int,
        name: String,
        descriptor: String,
        signature: String,
        value: Object,
    ): FieldVisitor = {
      fields(s"$name:$descriptor") = access
      null
    }
  }
}

/** The classes of some jars, and of the Java that runs. Of two classes of one name the first counts.
  */
final class ClassFiles(jars: Seq[File]) extends AutoCloseable {

  private val zips = jars.map(new ZipFile(_))

  private val homes: Map[String, ZipFile] =
    zips.reverse.flatMap(zip => ClassFiles.names(zip).map(_ -> zip)).toMap

  private val known = mutable.Map.empty[String, Option[ClassFile]]

  def find(name: String): Option[ClassFile] = known.getOrElseUpdate(name, load(name))

  private def load(name: String): Option[ClassFile] = {
    val path = s"$name.class"
    val input = homes
      .get(name)
      .map(zip => zip.getInputStream(zip.getEntry(path)))
      .orElse(Option(ClassLoader.getPlatformClassLoader.getResourceAsStream(path)))
    input.map { stream =>
      try ClassFile.read(stream)
      finally stream.close()
    }
  }

  /** The class and everything it is made of, itself first, superclasses before interfaces. */
  def lineage(name: String): Seq[ClassFile] = {
    val found = mutable.LinkedHashMap.empty[String, ClassFile]
    def add(next: String): Unit =
      if (!found.contains(next))
        find(next).foreach { file =>
          found(next) = file
          file.parents.foreach(add)
        }
    add(name)
    found.values.toSeq
  }

  /** The parents of the class, at any depth, that are nowhere. */
  def absentParents(name: String): Seq[String] =
    lineage(name).flatMap(_.parents).distinct.filter(find(_).isEmpty)

  /** Where a method is declared that a call of this class reaches, and how. A declaration with a
    * body comes first.
    */
  def method(owner: String, key: String): Option[(ClassFile, Int)] = {
    val declared = lineage(owner).flatMap(file => file.methods.get(key).map(file -> _))
    declared
      .find { case (_, access) => !ClassFile.has(access, Opcodes.ACC_ABSTRACT) }
      .orElse(declared.headOption)
  }

  def field(owner: String, key: String): Option[(ClassFile, Int)] =
    lineage(owner).flatMap(file => file.fields.get(key).map(file -> _)).headOption

  override def close(): Unit = zips.foreach(_.close())
}

object ClassFiles {

  /** The classes in a jar. */
  def names(zip: ZipFile): Seq[String] =
    zip.entries.asScala
      .map(_.getName)
      .filter(name => name.endsWith(".class") && !name.startsWith("META-INF/"))
      .map(_.stripSuffix(".class"))
      .toVector
}
