import { statSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import type { BoxSpec } from '../../../ports/sandbox.ts'
import { canonicalPath } from '../canonical-path.ts'
import { isInside } from '../is-inside.ts'
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
  /** Empty files and folders on the host that bubblewrap makes to cover what is not there. */
  readonly placeholders: readonly string[]
}

/** The places that a box sees, and what is hidden in them (GATE-12). */
export function boxMounts(spec: BoxSpec): BoxMounts {
  const mounts = mountsOf(spec)
  const covers = coversOf(spec.masked, mounts)
  return {
    arguments: [...mounts.flatMap(toArguments), ...covers.flatMap((cover) => cover.arguments)],
    placeholders: covers.filter((cover) => cover.missing).map((cover) => cover.host),
  }
}

/** Outer places first, so that an inner one is laid over them. */
function mountsOf(spec: BoxSpec): readonly Mount[] {
  const masked = spec.masked.map(canonicalPath)
  const places = [
    ...spec.readOnly.map((host) => ({ host, box: host, writable: false })),
    ...spec.readWrite.map((host) => ({ host, box: host, writable: true })),
  ]
    .filter(({ host }) => !masked.some((hidden) => isInside(canonicalPath(host), hidden)))
    .sort((a, b) => a.box.split('/').length - b.box.split('/').length)
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
  readonly host: string
  readonly missing: boolean
  readonly arguments: readonly string[]
}

function coversOf(masked: readonly string[], mounts: readonly Mount[]): readonly Cover[] {
  const all = [{ host: '/usr', box: '/usr', writable: false }, ...mounts]
  return [...new Set(masked.map(canonicalPath))].flatMap((hidden) =>
    all
      .filter((mount) => isInside(hidden, canonicalPath(mount.host)))
      .flatMap((mount) => coverIn(mount, hidden)),
  )
}

function coverIn(mount: Mount, hidden: string): readonly Cover[] {
  const host = firstMissing(hidden)
  const { missing, directory } = kindOf(host, host === hidden)
  // What is not there needs no cover where the box cannot make it.
  if (missing && !mount.writable) return []
  const place = join(mount.box, relative(canonicalPath(mount.host), host))
  const covering = directory
    ? ['--tmpfs', place, '--remount-ro', place]
    : ['--ro-bind', '/dev/null', place]
  return [{ host, missing, arguments: covering }]
}

/** A path that is not there is covered too, or a command could put a configuration there; a suffix tells a file. */
function kindOf(path: string, isWhole: boolean): { missing: boolean; directory: boolean } {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats) return { missing: false, directory: stats.isDirectory() }
  return { missing: true, directory: !isWhole || extname(path) === '' }
}

/** The path itself, or the uppermost folder above it that is not there. */
function firstMissing(path: string): string {
  const parent = dirname(path)
  return parent === path || statSync(parent, { throwIfNoEntry: false })
    ? path
    : firstMissing(parent)
}
