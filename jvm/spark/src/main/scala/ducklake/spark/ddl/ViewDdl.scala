package ducklake.spark.ddl

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.schema.NameRules
import ducklake.catalog.model.LakeView
import ducklake.catalog.types.Names
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.SessionLake
import ducklake.spark.session.StatementInfo
import ducklake.spark.sparkapi.view.ViewDefinition
import ducklake.spark.table.Views
import org.apache.spark.sql.catalyst.analysis.NoSuchViewException
import org.apache.spark.sql.catalyst.analysis.ViewAlreadyExistsException
import org.apache.spark.sql.connector.catalog.Identifier

/** CREATE, REPLACE, ALTER, RENAME and DROP VIEW. The text has the dialect `spark`, and each
  * statement is one commit.
  */
final class ViewDdl(session: SessionLake) {

  private val names = new ObjectNames(session)
  private val views = new Views(session)
  private val texts = new ViewTexts(session)

  def create(ident: Identifier, definition: ViewDefinition): LakeView = {
    val base = session.base()
    val schema = names.schemaFor(base, ident)
    NameRules.view(ident.name()).left.foreach(SparkErrors.raise)
    if (names.isTaken(base, schema, ident.name())) throw new ViewAlreadyExistsException(ident)
    commit(base, Vector(texts.operation(base, schema, ident.name(), definition)))
    load(ident)
  }

  /** Drops the view and creates another view of its name when the text changes. When only
    * properties change, changes the view, whose text keeps its dialect.
    */
  def replace(ident: Identifier, definition: ViewDefinition): LakeView = {
    val (base, view) = existing(ident)
    val tags = texts.tags(definition)
    texts.check(s"${session.name}.${view.qualifiedName}", definition)
    if (!isAsRead(view, definition))
      commit(
        base,
        Vector(Operation.DropView(view), texts.operation(base, view.schema, view.name, definition)),
      )
    else if (tags != view.tags) commit(base, Vector(Operation.SetViewTags(view, tags)))
    load(ident)
  }

  /** Whether the definition equals the view that Spark has read, so that its text does not change.
    */
  private def isAsRead(view: LakeView, definition: ViewDefinition): Boolean =
    definition.text == views.text(view) &&
      definition.catalog.contains(session.name) &&
      definition.namespace == view.schema.path &&
      definition.columns.forall(column => column.comment == Views.commentOf(view, column.name)) &&
      Views.quotesNames(definition.settings) == Views.quotesNames(Views.configsOf(view.dialect)) &&
      definition.columns.map(_.name) == Views.columnNames(view, definition.queryColumns)

  /** Drops a view. False when the view does not exist. */
  def drop(ident: Identifier): Boolean =
    session.baseIfAny().exists { base =>
      names.view(base, ident).exists { view =>
        commit(base, Vector(Operation.DropView(view)))
        true
      }
    }

  def rename(from: Identifier, to: Identifier): Unit = {
    val (base, view) = existing(from)
    val name = names.newName(view.schema, to)
    NameRules.view(name).left.foreach(SparkErrors.raise)
    val isOther = !Names.isSame(name, view.name)
    if (isOther && names.isTaken(base, view.schema, name))
      throw new ViewAlreadyExistsException(Identifier.of(view.schema.path.toArray, name))
    if (name != view.name) commit(base, Vector(Operation.RenameView(view, view.schema, name)))
  }

  private def existing(ident: Identifier): (LakeSnapshot, LakeView) =
    session
      .baseIfAny()
      .flatMap(base => names.view(base, ident).map((base, _)))
      .getOrElse(throw new NoSuchViewException(ident))

  private def commit(base: LakeSnapshot, operations: Vector[Operation]): Unit = {
    val _ = session.commit(base, operations, StatementInfo.none).orThrow
  }

  private def load(ident: Identifier): LakeView =
    session
      .current()
      .flatMap(now => names.view(now, ident))
      .getOrElse(throw new NoSuchViewException(ident))
}
