import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, relative } from 'node:path'
import type { BoxSpec } from '../../ports/sandbox.ts'
import { SandboxUnavailable } from './sandbox-options.ts'

/** Path of a workspace in the box, unless it keeps that of the host. */
export const boxWorkspace = '/workspace'

/** Nothing of the host is visible in these directories. */
const closed = ['/proc', '/dev', '/sys', '/etc', '/opt/countersign']

/** A path of the host, mounted in the box. */
export interface Mount {
  readonly host: string
  readonly box: string
  readonly writable: boolean
}

/** An empty, read-only file or directory over a path in the box. */
export interface Cover {
  readonly box: string
  readonly directory: boolean
}

/** A box and the path of its workspace inside. */
export interface NamedSpec extends BoxSpec {
  readonly name: string
}

/** Paths of a driver's boxes in addition to those of the box's specification. */
interface BoxSystem {
  /** Paths that belong to the box itself; mounts must not hide them. */
  readonly own: readonly string[]
  /** Mounts of every box. */
  readonly shared: readonly Mount[]
}

/** Paths that belong to every box itself. */
export const ownOfBoxes = ['/proc', '/dev', '/etc', '/tmp', '/opt/countersign', boxWorkspace]

interface BoxMounts {
  /** In mount order; some may not exist on the host. */
  readonly mounts: readonly Mount[]
  /** To be mounted last. */
  readonly covers: readonly Cover[]
  /** Covered paths on the host. */
  readonly covered: readonly string[]
  /** Empty files and directories created on the host to cover paths that do not exist. */
  readonly placeholders: readonly string[]
}

/** Computes the mounts of a box, and the covers over masked paths (GATE-12). */
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

/** Outer paths first, so that inner ones are mounted over them; the workspace last. */
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
    // Paths in the workspace are visible already; a second name would bypass rules for the first.
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

/** Whether the path is the same in the box. */
function isKept({ host, box }: Mount): boolean {
  return host === box
}

/** Refuses a path that leads out of a writable directory: a command could have replaced it by a link to anywhere. */
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
  /** The mount that contains it. */
  readonly mount: Mount
  readonly host: string
  readonly missing: boolean
}

function coversOf(masked: readonly string[], mounts: readonly Mount[]): readonly PlacedCover[] {
  const hidden = [...new Set(masked.map(canonicalPath))]
  return mounts.flatMap((mount) => {
    const inside = hidden.filter((path) => isInside(path, canonicalPath(mount.host)))
    // Paths below a covered directory need no cover of their own.
    return outermost(inside).flatMap((path) => coverIn(mount, path))
  })
}

function coverIn(mount: Mount, hidden: string): readonly PlacedCover[] {
  const { path, missing, directory } = hiddenPath(hidden)
  // A missing path needs no cover if the box cannot create it.
  if (missing && !mount.writable) return []
  const box = join(mount.box, relative(canonicalPath(mount.host), path))
  return [{ mount, host: path, missing, box, directory }]
}

/**
 * Mounts the directories between a mount and its covered paths onto themselves: the kernel refuses to rename a mount point.
 * Otherwise a box could move a directory with a cover away and put its own in its place.
 */
function pinsOf(covers: readonly PlacedCover[], mounts: readonly Mount[]): readonly Mount[] {
  const pins = covers.flatMap(({ mount, host }) => {
    if (!mount.writable) return []
    const inner = mounts.filter((other) => other !== mount && isInside(other.box, mount.box))
    // If another mount lies over this one, its own covers have pins.
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

/** The path to cover in order to hide a masked path: itself, or its uppermost missing parent directory. */
export interface HiddenPath {
  readonly path: string
  readonly missing: boolean
  readonly directory: boolean
}

/** Hides missing paths too, as a command could create a configuration there. A path with an extension counts as a file. */
export function hiddenPath(masked: string): HiddenPath {
  const path = firstMissing(masked)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats) return { path, missing: false, directory: stats.isDirectory() }
  return { path, missing: true, directory: path !== masked || extname(path) === '' }
}

function firstMissing(path: string): string {
  const parent = dirname(path)
  return parent === path || statSync(parent, { throwIfNoEntry: false })
    ? path
    : firstMissing(parent)
}

/**
 * Path in the box of the workspace `host`. The one chosen by the operator (`kept`) keeps its path, so that absolute paths and
 * links mean the same inside, and rules see one name per file. If that would hide the box's own paths (`own`), it is
 * `/workspace`.
 */
export function workspaceName(
  host: string,
  kept: string | undefined,
  own: readonly string[],
): string {
  const name = canonicalPath(host)
  if (kept === undefined || canonicalPath(kept) !== name) return boxWorkspace
  const hides = own.some((place) => isInside(place, name))
  return hides || closed.some((place) => isInside(name, place)) ? boxWorkspace : name
}

/** Removes paths that lie below another one. */
export function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(path, other)))
}

/** Whether `path` is `dir` or lies below it, by segments; both must be absolute and normalised. */
export function isInside(path: string, dir: string): boolean {
  return dir === '/' || path === dir || path.startsWith(`${dir}/`)
}

/** Resolves the links in the existing part of an absolute path, and appends the rest. */
export function canonicalPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(canonicalPath(parent), basename(path))
  }
}
