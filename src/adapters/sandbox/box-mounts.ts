import { dirname, join, relative } from 'node:path'
import type { BoxSpec } from '../../ports/sandbox.ts'
import { canonicalPath } from './canonical-path.ts'
import { hiddenPlace } from './hidden-place.ts'
import { isInside, outermost } from './is-inside.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'
import { boxWorkspace } from './workspace-name.ts'

/** A place of the host in the box. */
export interface Mount {
  readonly host: string
  readonly box: string
  readonly writable: boolean
}

/** An empty thing that nobody can write, over a place in the box. */
export interface Cover {
  readonly box: string
  readonly directory: boolean
}

/** A box, and what it calls its workspace. */
export interface NamedSpec extends BoxSpec {
  readonly name: string
}

/** What a driver's boxes have beside the places of a box's specification. */
export interface BoxSystem {
  /** The box's own, beside the usual; no place of the host may be laid over it. */
  readonly own: readonly string[]
  /** Of the host, in every box. */
  readonly shared: readonly Mount[]
}

/** What every box has of its own. */
export const ownOfBoxes = ['/proc', '/dev', '/etc', '/tmp', '/opt/countersign', boxWorkspace]

export interface BoxMounts {
  /** In the order in which they are laid; some may be missing on the host. */
  readonly mounts: readonly Mount[]
  /** To be laid over the mounts. */
  readonly covers: readonly Cover[]
  /** Paths on the host that are covered. */
  readonly covered: readonly string[]
  /** Empty files and folders that come to stand on the host to cover what is not there. */
  readonly placeholders: readonly string[]
}

/** The places that a box sees, and what is hidden in them (GATE-12). */
export function boxMounts(spec: NamedSpec, system: BoxSystem): BoxMounts {
  const mounts = mountsOf(spec, system)
  const covers = coversOf(spec.masked, [...system.shared, ...mounts])
  return {
    mounts: [...mounts, ...pinsOf(covers, mounts)].sort(
      (a, b) => rank(a, spec.name) - rank(b, spec.name),
    ),
    covers,
    covered: [...new Set(covers.map((cover) => cover.host))],
    placeholders: covers.filter((cover) => cover.missing).map((cover) => cover.host),
  }
}

/** Outer places first, so that an inner one is laid over them; the workspace over all. */
function rank({ box }: Mount, workspace: string): number {
  return box.split('/').length + (isInside(box, workspace) ? 10_000 : 0)
}

function mountsOf(spec: NamedSpec, system: BoxSystem): readonly Mount[] {
  const masked = spec.masked.map(canonicalPath)
  const parts = workspaceMounts(spec)
  const places = [
    ...spec.readOnly.map((host) => ({ host, box: host, writable: false })),
    ...spec.readWrite.map((host) => ({ host, box: host, writable: true })),
  ]
    // What lies in the workspace is there already; another name for it would be one that no rule is tried on.
    .filter(
      ({ host }) => !parts.some((part) => isKept(part) && isInside(canonicalPath(host), part.host)),
    )
    .filter(({ host }) => !masked.some((hidden) => isInside(canonicalPath(host), hidden)))
  for (const { box } of places) assertMountable(box, [...ownOfBoxes, ...system.own])
  const all = [...places, ...parts]
  const writable = all.filter((mount) => mount.writable).map(({ host }) => host)
  for (const { host } of all) assertHeld(host, [...writable, spec.workspace])
  return all
}

function workspaceMounts({ name, workspace, workspaceParts = ['.'] }: NamedSpec): readonly Mount[] {
  return workspaceParts.map((part) => ({
    host: join(workspace, part),
    box: join(name, part),
    writable: true,
  }))
}

/** Whether it has its own name in the box. */
function isKept({ host, box }: Mount): boolean {
  return host === box
}

/** Where commands may write they may put a link to anywhere in the place of what the next box would be given. */
function assertHeld(place: string, writable: readonly string[]): void {
  const outer = writable.find((dir) => isInside(place, dir) && !isHeld(place, dir))
  if (outer !== undefined)
    throw new SandboxUnavailable(`${place} cannot be mounted in a box: it leads out of ${outer}`)
}

function isHeld(place: string, dir: string): boolean {
  return isInside(canonicalPath(place), canonicalPath(dir))
}

function assertMountable(place: string, paths: readonly string[]): void {
  if (paths.some((path) => isInside(path, place)))
    throw new SandboxUnavailable(`${place} cannot be mounted in a box: it would hide the box's own`)
}

interface PlacedCover extends Cover {
  /** The place around it. */
  readonly mount: Mount
  readonly host: string
  readonly missing: boolean
}

function coversOf(masked: readonly string[], mounts: readonly Mount[]): readonly PlacedCover[] {
  const hidden = [...new Set(masked.map(canonicalPath))]
  return mounts.flatMap((mount) => {
    const inside = hidden.filter((path) => isInside(path, canonicalPath(mount.host)))
    // What lies below a covered folder needs no cover of its own, and there is nothing to lay it on.
    return outermost(inside).flatMap((path) => coverIn(mount, path))
  })
}

function coverIn(mount: Mount, hidden: string): readonly PlacedCover[] {
  const { path, missing, directory } = hiddenPlace(hidden)
  // What is not there needs no cover where the box cannot make it.
  if (missing && !mount.writable) return []
  const box = join(mount.box, relative(canonicalPath(mount.host), path))
  return [{ mount, host: path, missing, box, directory }]
}

/**
 * The folders between a place and what is covered in it, each mounted on itself: the kernel lets nobody rename a mount
 * point. Else a box could move the folder around a cover away and put its own in its place.
 */
function pinsOf(covers: readonly PlacedCover[], mounts: readonly Mount[]): readonly Mount[] {
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
