package ducklake.catalog.listing

import ducklake.catalog.error.LakeError
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.types.SnapshotId

import java.time.Instant

/** One end of a range of changes: a snapshot or a time, which belongs to the range or does not. */
final case class ChangeBound(point: ChangePoint, edge: BoundEdge = BoundEdge.Included)

object ChangeBound {
  def version(id: SnapshotId): ChangeBound = ChangeBound(ChangePoint.Version(id))
  def time(at: Instant): ChangeBound = ChangeBound(ChangePoint.Time(at))

  /** @param text a snapshot's id or its name */
  def snapshot(text: String): ChangeBound = ChangeBound(ChangePoint.snapshot(text))
}

sealed trait ChangePoint

object ChangePoint {
  final case class Version(id: SnapshotId) extends ChangePoint
  final case class Time(at: Instant) extends ChangePoint

  /** The snapshot that has the name. */
  final case class Named(name: String) extends ChangePoint

  /** @param text a snapshot's id or its name */
  def snapshot(text: String): ChangePoint =
    text.trim.toLongOption.fold[ChangePoint](Named(text))(id => Version(SnapshotId(id)))
}

sealed trait BoundEdge

object BoundEdge {
  case object Included extends BoundEdge
  case object Excluded extends BoundEdge
}

/** Finds the snapshots that a range of changes means.
  *
  * @param kept the ids and times of the snapshots that have not expired; the snapshots of
  *   [[ChangeBounds.asked]], the oldest and the newest are enough
  * @param named the snapshots that have names; those of the bounds are enough
  *
  * Source: DuckDB 1.5.5, observed (decision 10): both ends are included, an id must exist, a time
  * means the first snapshot at or after it, or the last at or before it. Ours: a time is refused
  * when a snapshot that has expired may lie between it and the snapshot that it means.
  */
final class ChangeBounds(
    kept: Vector[(SnapshotId, Instant)],
    named: Map[String, SnapshotId] = Map.empty,
) {
  private val ids: Vector[Long] = kept.map(_._1.value).sorted
  private val known: Set[Long] = ids.toSet
  private val newest: Long = ids.lastOption.getOrElse(-1L)

  /** The range between two bounds. It is empty when the first lies after the second.
    *
    * Errors: NoSuchSnapshot.
    */
  def range(from: ChangeBound, to: ChangeBound): Either[LakeError, SnapshotRange] =
    for {
      last <- lastOf(to)
      first <- firstOf(from)
      found <- checked(SnapshotRange(SnapshotId(first), SnapshotId(last)))
    } yield found

  /** The range. Its end may have expired, because the bound was the snapshot after it. */
  private def checked(range: SnapshotRange): Either[LakeError, SnapshotRange] =
    if (range.isEmpty) Right(range) else existing(range.last).map(_ => range)

  private def firstOf(bound: ChangeBound): Either[LakeError, Long] = bound match {
    case ChangeBound(ChangePoint.Named(name), edge) =>
      version(name).flatMap(point => firstOf(ChangeBound(point, edge)))
    case ChangeBound(ChangePoint.Version(id), edge) =>
      existing(id).map(id => if (edge == BoundEdge.Included) id else id + 1)
    case ChangeBound(ChangePoint.Time(at), BoundEdge.Included) =>
      earliest(time => !time.isBefore(at)) match {
        case None => Left(noSnapshot(s"at or after $at"))
        case Some((id, time)) if time == at => Right(id)
        case Some((id, _)) => withNeighbour(id, id - 1)
      }
    case ChangeBound(ChangePoint.Time(at), BoundEdge.Excluded) =>
      earliest(_.isAfter(at)).fold[Either[LakeError, Long]](Right(newest + 1)) { case (id, _) =>
        withNeighbour(id, id - 1)
      }
  }

  private def lastOf(bound: ChangeBound): Either[LakeError, Long] = bound match {
    case ChangeBound(ChangePoint.Named(name), edge) =>
      version(name).flatMap(point => lastOf(ChangeBound(point, edge)))
    case ChangeBound(ChangePoint.Version(id), edge) =>
      existing(id).map(id => if (edge == BoundEdge.Included) id else id - 1)
    case ChangeBound(ChangePoint.Time(at), BoundEdge.Included) =>
      latest(time => !time.isAfter(at), s"at or before $at")
    case ChangeBound(ChangePoint.Time(at), BoundEdge.Excluded) =>
      latest(_.isBefore(at), s"before $at")
  }

  private def earliest(isIncluded: Instant => Boolean): Option[(Long, Instant)] =
    included(isIncluded).minByOption { case (id, time) => (time, id) }

  private def latest(isIncluded: Instant => Boolean, asked: String): Either[LakeError, Long] =
    included(isIncluded).maxByOption { case (id, time) => (time, id) } match {
      case None => Left(noSnapshot(asked))
      case Some((id, _)) => withNeighbour(id, id + 1)
    }

  private def included(isIncluded: Instant => Boolean): Vector[(Long, Instant)] =
    kept.collect { case (id, time) if isIncluded(time) => (id.value, time) }

  /** The id, when its neighbour outside the range has not expired. The time of an expired snapshot
    * is not known, so it may belong to the range.
    */
  private def withNeighbour(id: Long, neighbour: Long): Either[LakeError, Long] =
    if (neighbour < 0 || neighbour > newest || known(neighbour)) Right(id)
    else Left(noSnapshot(s"$neighbour, which may belong to the range,"))

  private def version(name: String): Either[LakeError, ChangePoint] =
    named.get(name).map(ChangePoint.Version(_)).toRight(noSnapshot(s"with the name `$name`"))

  private def existing(id: SnapshotId): Either[LakeError, Long] =
    if (known(id.value)) Right(id.value) else Left(noSnapshot(id.value.toString))

  private def noSnapshot(asked: String): LakeError = {
    def shown(id: Option[Long]) = id.fold("none")(_.toString)
    LakeError.NoSuchSnapshot(asked, shown(ids.headOption), shown(ids.lastOption))
  }
}

object ChangeBounds {

  /** The snapshots on which the range between two bounds depends.
    *
    * @param around the snapshots that are the nearest to a time, before it, at it and after it
    */
  def asked(from: ChangeBound, to: ChangeBound, named: Map[String, SnapshotId] = Map.empty)(
      around: Instant => Vector[SnapshotId]
  ): Vector[SnapshotId] = {
    val meant = Vector(from, to).flatMap(_.point match {
      case ChangePoint.Version(id) => Vector(id)
      case ChangePoint.Time(at) => around(at)
      case ChangePoint.Named(name) => named.get(name).toVector
    })
    meant.flatMap(id => Vector(id.value - 1, id.value, id.value + 1)).distinct.map(SnapshotId(_))
  }
}
