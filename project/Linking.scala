import org.objectweb.asm.Opcodes

import java.io.File
import java.util.zip.ZipFile

/** Resolves everything that the classes of our jar need, as the virtual machine does it: each class,
  * method, field, and each method of Spark that a class of ours overrides or has to implement.
  *
  * @param jar our jar
  * @param compiled the classes against which it was compiled
  */
final class Linking(jar: File, compiled: Seq[File]) extends AutoCloseable {
  import Linking.*

  private val zip = new ZipFile(jar)
  private val names = ClassFiles.names(zip).filter(isOurs)
  private val references: Seq[(String, Reference)] = names.flatMap { name =>
    val input = zip.getInputStream(zip.getEntry(s"$name.class"))
    try ClassReferences.of(input).map(name -> _)
    finally input.close()
  }
  private val base = new ClassFiles(jar +: compiled)

  /** What does not hold with the classes of these jars, sorted. */
  def problems(jars: Seq[File]): Seq[String] = {
    val world = new ClassFiles(jar +: jars)
    try {
      val unresolved = references.flatMap { case (name, reference) =>
        refusal(world, name, reference).map(why => s"$name: $why")
      }
      (unresolved ++ names.flatMap(inherited(world, _))).distinct.sorted
    } finally world.close()
  }

  override def close(): Unit = {
    zip.close()
    base.close()
  }

  private def refusal(world: ClassFiles, from: String, reference: Reference): Option[String] =
    reference match {
      case Reference.OfClass(name) =>
        if (world.find(name).isEmpty) Some(s"there is no class $name") else None
      case method: Reference.OfMethod => methodRefusal(world, from, method)
      case Reference.OfField(owner, key, isStatic) =>
        memberRefusal(world, from, s"field $owner.$key", world.field(owner, key), isStatic)
    }

  private def methodRefusal(
      world: ClassFiles,
      from: String,
      method: Reference.OfMethod,
  ): Option[String] = {
    val what = s"method ${method.owner}.${method.key}"
    world.find(method.owner) match {
      case None => None // the class itself is reported
      case _ if isPolymorphic(method.owner) => None
      case Some(owner) if owner.isInterface != method.isOfInterface =>
        Some(s"${method.owner} is ${if (owner.isInterface) "an interface" else "a class"} now")
      case Some(_) =>
        memberRefusal(world, from, what, world.method(method.owner, method.key), method.isStatic)
    }
  }

  private def memberRefusal(
      world: ClassFiles,
      from: String,
      what: String,
      found: Option[(ClassFile, Int)],
      isStatic: Boolean,
  ): Option[String] = found match {
    case None => Some(s"there is no $what")
    case Some((_, access)) if ClassFile.has(access, Opcodes.ACC_STATIC) != isStatic =>
      Some(s"$what is ${if (isStatic) "not static" else "static"} now")
    case Some((home, access)) if !isAccessible(from, home, access) =>
      Some(s"$what is not accessible")
    case _ => None
  }

  private def isAccessible(from: String, home: ClassFile, access: Int): Boolean =
    isOurs(home.name) ||
      ClassFile.has(access, Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED) ||
      (!ClassFile.has(access, Opcodes.ACC_PRIVATE) &&
        ClassFile.packageOf(from) == ClassFile.packageOf(home.name))

  /** What a class inherits: its parents, the methods it overrides, and those it has to implement. */
  private def inherited(world: ClassFiles, name: String): Seq[String] = {
    val file = world.find(name).toSeq
    val found = file.flatMap(parents(world, _)) ++ file.flatMap(overrides(world, _)) ++
      file.filterNot(_.isAbstract).flatMap(unimplemented(world, _))
    found.map(why => s"$name: $why")
  }

  private def parents(world: ClassFiles, file: ClassFile): Seq[String] = {
    val superclass = file.superclass.flatMap(world.find).toSeq.collect {
      case parent if ClassFile.has(parent.access, Opcodes.ACC_FINAL) => s"${parent.name} is final"
      case parent if parent.isInterface => s"${parent.name} is an interface now"
    }
    val interfaces = file.interfaces.flatMap(world.find).collect {
      case parent if !parent.isInterface => s"${parent.name} is a class now"
    }
    superclass ++ interfaces
  }

  private def overrides(world: ClassFiles, file: ClassFile): Seq[String] =
    file.methods.toSeq
      .filter { case (key, access) => isVirtual(key, access) }
      .flatMap { case (key, _) =>
        val before = overridden(base, file.name, key)
        val now = overridden(world, file.name, key)
        (before, now) match {
          case (Some((parent, _)), None) => Some(s"overrides ${parent.name}.$key, which is gone")
          case (_, Some((parent, access))) if ClassFile.has(access, Opcodes.ACC_FINAL) =>
            Some(s"overrides ${parent.name}.$key, which is final")
          case _ => None
        }
      }

  private def overridden(world: ClassFiles, name: String, key: String): Option[(ClassFile, Int)] =
    world
      .lineage(name)
      .filterNot(file => isOurs(file.name) || file.name == "java/lang/Object")
      .flatMap(file => file.methods.get(key).map(file -> _))
      .find { case (_, access) => isVirtual(key, access) }

  private def unimplemented(world: ClassFiles, file: ClassFile): Seq[String] =
    for {
      parent <- world.lineage(file.name)
      (key, access) <- parent.methods.toSeq
      if ClassFile.has(access, Opcodes.ACC_ABSTRACT)
      if world.method(file.name, key).forall { case (_, a) =>
        ClassFile.has(a, Opcodes.ACC_ABSTRACT)
      }
      if world.method("java/lang/Object", key).isEmpty
    } yield s"does not implement ${parent.name}.$key"
}

object Linking {

  /** Our classes in a package of Spark's: see the source checks. */
  val insideSpark = "org/apache/spark/sql/execution/ducklake/"

  /** Classes of this project, but for the libraries that it carries under its own name. */
  private def isOurs(name: String): Boolean =
    name.startsWith(insideSpark) ||
      (name.startsWith("ducklake/") && !name.startsWith("ducklake/shaded/"))

  /** Classes whose methods take what they are called with. */
  private def isPolymorphic(owner: String): Boolean =
    owner == "java/lang/invoke/MethodHandle" || owner == "java/lang/invoke/VarHandle"

  private def isVirtual(key: String, access: Int): Boolean =
    !key.startsWith("<") && !ClassFile.has(access, Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)
}
