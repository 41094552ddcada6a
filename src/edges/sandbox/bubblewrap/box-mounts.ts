import { dirname, join, relative } from 'node:path'
import type { BoxSpec } from '../../../ports/sandbox.ts'
import { canonicalPath } from '../canonical-path.ts'
import { hiddenPlace } from '../hidden-place.ts'
import { isInside, outermost } from '../is-inside.ts'
import { SandboxUnavailable } from '../sandbox-unavailable.ts'

/** A place of the host in the box. */
interface Mount {
  readonly host: string
  readonly box: string
  readonly writable: boolean
}

export const boxWorkspace = '/workspace'

/** What the box has of its own; no place of the host may be laid over it. */
const own = ['/proc', '/dev', '/etc', '/tmp', '/opt/countersign', boxWorkspace]

export interface BoxMounts {
  /** Bubblewrap's arguments. */
  readonly arguments: readonly string[]
  /** Paths on the host that are covered. */
  readonly covered: readonly string[]
  /** Empty files and folders on the host that bubblewrap makes to cover what is not there. */
  readonly placeholders: readonly string[]
}

/** The places that a box sees, and what is hidden in them (GATE-12). */
export function boxMounts(spec: BoxSpec): BoxMounts {
  const mounts = mountsOf(spec)
  const covers = coversOf(spec.masked, mounts)
  const all = [...mounts, ...pinsOf(covers, mounts)].sort((a, b) => rank(a) - rank(b))
  return {
    arguments: [...all.flatMap(toArguments), ...covers.flatMap((cover) => cover.arguments)],
    covered: [...new Set(covers.map((cover) => cover.host))],
    placeholders: covers.filter((cover) => cover.missing).map((cover) => cover.host),
  }
}

/** Outer places first, so that an inner one is laid over them; the workspace over all. */
function rank({ box }: Mount): number {
  return box.split('/').length + (isInside(box, boxWorkspace) ? 10_000 : 0)
}

function mountsOf(spec: BoxSpec): readonly Mount[] {
  const masked = spec.masked.map(canonicalPath)
  const places = [
    ...spec.readOnly.map((host) => ({ host, box: host, writable: false })),
    ...spec.readWrite.map((host) => ({ host, box: host, writable: true })),
  ].filter(({ host }) => !masked.some((hidden) => isInside(canonicalPath(host), hidden)))
  for (const { box } of places) assertMountable(box)
  return [...places, { host: spec.workspace, box: boxWorkspace, writable: true }]
}

function assertMountable(place: string): void {
  if (own.some((path) => isInside(path, place)))
    throw new SandboxUnavailable(`${place} cannot be mounted in a box: it would hide the box's own`)
}

function toArguments(mount: Mount): readonly string[] {
  return [mount.writable ? '--bind-try' : '--ro-bind-try', mount.host, mount.box]
}

interface Cover {
  /** The place around it. */
  readonly mount: Mount
  readonly host: string
  readonly missing: boolean
  readonly arguments: readonly string[]
}

function coversOf(masked: readonly string[], mounts: readonly Mount[]): readonly Cover[] {
  const all = [{ host: '/usr', box: '/usr', writable: false }, ...mounts]
  const hidden = [...new Set(masked.map(canonicalPath))]
  return all.flatMap((mount) => {
    const inside = hidden.filter((path) => isInside(path, canonicalPath(mount.host)))
    // What lies below a covered folder needs no cover of its own, and there is nothing to lay it on.
    return outermost(inside).flatMap((path) => coverIn(mount, path))
  })
}

function coverIn(mount: Mount, hidden: string): readonly Cover[] {
  const { path, missing, directory } = hiddenPlace(hidden)
  // What is not there needs no cover where the box cannot make it.
  if (missing && !mount.writable) return []
  const place = join(mount.box, relative(canonicalPath(mount.host), path))
  const covering = directory
    ? ['--tmpfs', place, '--remount-ro', place]
    : ['--ro-bind', '/dev/null', place]
  return [{ mount, host: path, missing, arguments: covering }]
}

/**
 * The folders between a place and what is covered in it, each mounted on itself: the kernel lets nobody rename a mount
 * point. Else a box could move the folder around a cover away and put its own in its place.
 */
function pinsOf(covers: readonly Cover[], mounts: readonly Mount[]): readonly Mount[] {
  const pins = covers.flatMap(({ mount, host }) => {
    if (!mount.writable) return []
    const inner = mounts.filter((other) => other !== mount && isInside(other.box, mount.box))
    // Where another place is laid over this one, its own covers have pins.
    return foldersTo(host, mount).filter(({ box }) => !inner.some((at) => isInside(box, at.box)))
  })
  return [...new Map(pins.map((pin) => [pin.box, pin])).values()]
}

function foldersTo(path: string, mount: Mount): readonly Mount[] {
  const top = canonicalPath(mount.host)
  const folder = dirname(path)
  if (path === top || folder === top) return []
  const box = join(mount.box, relative(top, folder))
  return [...foldersTo(folder, mount), { host: folder, box, writable: true }]
}
