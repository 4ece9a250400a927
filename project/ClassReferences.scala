import org.objectweb.asm.ClassReader
import org.objectweb.asm.ClassVisitor
import org.objectweb.asm.ConstantDynamic
import org.objectweb.asm.FieldVisitor
import org.objectweb.asm.Handle
import org.objectweb.asm.Label
import org.objectweb.asm.MethodVisitor
import org.objectweb.asm.Opcodes
import org.objectweb.asm.Type

import java.io.InputStream
import scala.collection.mutable

/** Something that the code of a class needs from another class. */
sealed trait Reference

object Reference {

  final case class OfClass(name: String) extends Reference

  /** @param key name and descriptor
    * @param isStatic none for a constructor or a call of a superclass, which are not
    * @param isOfInterface whether the call takes the owner for an interface
    */
  final case class OfMethod(owner: String, key: String, isStatic: Boolean, isOfInterface: Boolean)
      extends Reference

  /** @param key name and descriptor */
  final case class OfField(owner: String, key: String, isStatic: Boolean) extends Reference
}

/** Collects what a class needs: in its declaration, in its signatures and in its code. */
final class ClassReferences private extends ClassVisitor(Opcodes.ASM9) {
  import Reference.*

  private val found = mutable.LinkedHashSet.empty[Reference]

  private def addType(of: Type): Unit = of.getSort match {
    case Type.ARRAY => addType(of.getElementType)
    case Type.OBJECT => found += OfClass(of.getInternalName)
    case Type.METHOD => (of.getReturnType +: of.getArgumentTypes).foreach(addType)
    case _ => ()
  }

  private def addClass(name: String): Unit =
    Option(name).foreach(known => addType(Type.getObjectType(known)))

  private def addMethod(
      owner: String,
      name: String,
      descriptor: String,
      isStatic: Boolean,
      isOfInterface: Boolean,
  ): Unit = {
    addClass(owner)
    addType(Type.getMethodType(descriptor))
    if (!owner.startsWith("[")) found += OfMethod(owner, name + descriptor, isStatic, isOfInterface)
  }

  private def addField(owner: String, name: String, descriptor: String, isStatic: Boolean): Unit = {
    addClass(owner)
    addType(Type.getType(descriptor))
    found += OfField(owner, s"$name:$descriptor", isStatic)
  }

  private def addHandle(handle: Handle): Unit = {
    val tag = handle.getTag
    if (tag <= Opcodes.H_PUTSTATIC)
      addField(
        handle.getOwner,
        handle.getName,
        handle.getDesc,
        tag == Opcodes.H_GETSTATIC || tag == Opcodes.H_PUTSTATIC,
      )
    else
      addMethod(
        handle.getOwner,
        handle.getName,
        handle.getDesc,
        tag == Opcodes.H_INVOKESTATIC,
        handle.isInterface,
      )
  }

  private def addConstant(constant: Any): Unit = constant match {
    case handle: Handle => addHandle(handle)
    case of: Type => addType(of)
    case dynamic: ConstantDynamic =>
      addHandle(dynamic.getBootstrapMethod)
      (0 until dynamic.getBootstrapMethodArgumentCount)
        .foreach(i => addConstant(dynamic.getBootstrapMethodArgument(i)))
    case _ => ()
  }

  override def visit(
      version: Int,
      access: Int,
      name: String,
      signature: String,
      superclass: String,
      interfaces: Array[String],
  ): Unit = (superclass +: interfaces).foreach(addClass)

  override def visitField(
      access: Int,
      name: String,
      descriptor: String,
      signature: String,
      value: Object,
  ): FieldVisitor = {
    addType(Type.getType(descriptor))
    null
  }

  override def visitMethod(
      access: Int,
      name: String,
      descriptor: String,
      signature: String,
      thrown: Array[String],
  ): MethodVisitor = {
    addType(Type.getMethodType(descriptor))
    new Code
  }

  private final class Code extends MethodVisitor(Opcodes.ASM9) {

    override def visitTypeInsn(opcode: Int, name: String): Unit = addClass(name)

    override def visitFieldInsn(
        opcode: Int,
        owner: String,
        name: String,
        descriptor: String,
    ): Unit =
      addField(
        owner,
        name,
        descriptor,
        opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC,
      )

    override def visitMethodInsn(
        opcode: Int,
        owner: String,
        name: String,
        descriptor: String,
        isInterface: Boolean,
    ): Unit = addMethod(owner, name, descriptor, opcode == Opcodes.INVOKESTATIC, isInterface)

    override def visitInvokeDynamicInsn(
        name: String,
        descriptor: String,
        bootstrap: Handle,
        arguments: Object*
    ): Unit = {
      addType(Type.getMethodType(descriptor))
      addHandle(bootstrap)
      arguments.foreach(addConstant)
    }

    override def visitLdcInsn(value: Object): Unit = addConstant(value)

    override def visitTryCatchBlock(start: Label, end: Label, handler: Label, of: String): Unit =
      addClass(of)

    override def visitMultiANewArrayInsn(descriptor: String, dimensions: Int): Unit =
      addType(Type.getType(descriptor))

    override def visitFrame(
        kind: Int,
        localCount: Int,
        locals: Array[Object],
        stackCount: Int,
        stack: Array[Object],
    ): Unit =
      (locals.take(localCount) ++ stack.take(stackCount)).foreach {
        case name: String => addClass(name)
        case _ => ()
      }
  }
}

object ClassReferences {

  /** What the class in this stream needs. */
  def of(input: InputStream): Seq[Reference] = {
    val visitor = new ClassReferences
    new ClassReader(input).accept(visitor, ClassReader.SKIP_DEBUG)
    visitor.found.toVector
  }
}
