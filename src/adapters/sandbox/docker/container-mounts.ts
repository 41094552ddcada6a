import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { boxMounts, type Cover, type Mount, type NamedSpec, ownOfBoxes } from '../box-mounts.ts'
import { isInside } from '../is-inside.ts'
import { executorPlace } from './box-line.ts'

/** Programs are the image's: a place of the host must not be laid over them. */
const system = {
  own: ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/sys'],
  shared: [],
}

/** What no place of the host may hide. */
export const ownOfContainers = [...ownOfBoxes, ...system.own]

/** Places of the host that every box has; all are read-only there. */
export interface OwnPlaces {
  /** The executor as plain JavaScript. */
  readonly executorDir: string
  /** A folder without anything in it. */
  readonly emptyDir: string
  /** Made-up accounts. */
  readonly passwd: string
  readonly group: string
}

/** The engine's arguments that mount the places of a box, and cover what is hidden in them. */
export function containerMounts(spec: NamedSpec, own: OwnPlaces) {
  const { mounts, covers, covered, placeholders } = boxMounts(spec, system)
  const places = mounts.filter(({ host }) => existsSync(host)).flatMap(withInner)
  const all = [...ownMounts(own), ...places, ...covers.map((cover) => overlay(cover, own))]
  // An engine refuses two at one place: the later one is what a box sees.
  const last = new Map(all.map((mount) => [mount.box, mount]))
  // Where a box has only parts of the workspace, nothing can be put beside them.
  const around = spec.workspaceParts === undefined ? [] : [`--mount=${emptyAt(spec.name)}`]
  return { arguments: [...around, ...[...last.values()].map(toArgument)], covered, placeholders }
}

function ownMounts(own: OwnPlaces): readonly Mount[] {
  return [
    { host: own.executorDir, box: executorPlace, writable: false },
    { host: own.passwd, box: '/etc/passwd', writable: false },
    { host: own.group, box: '/etc/group', writable: false },
  ]
}

// An empty file system would do as well, but some engines fill it with what it covers.
function overlay({ box, directory }: Cover, { emptyDir }: OwnPlaces): Mount {
  return { host: directory ? emptyDir : '/dev/null', box, writable: false }
}

/** To many engines `readonly` is of the place alone: what is mounted below it stays writable unless told likewise. */
function withInner(mount: Mount): readonly Mount[] {
  if (mount.writable) return [mount]
  const top = realpathSync(mount.host)
  const inner = mountPoints().filter((point) => point !== top && isInside(point, top))
  return [
    mount,
    ...inner.map((host) => ({
      host,
      box: `${mount.box}${host.slice(top.length)}`,
      writable: false,
    })),
  ]
}

/** Where something is mounted here: the fifth field, with blanks written in octal. */
function mountPoints(): readonly string[] {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
    return lines.flatMap((line) => line.split(' ')[4] ?? []).map(unescaped)
  } catch {
    return []
  }
}

function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_all, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  )
}

function emptyAt(place: string): string {
  return ['type=tmpfs', `target=${place}`, 'readonly'].map(quoted).join(',')
}

function toArgument({ host, box, writable }: Mount): string {
  const fields = ['type=bind', `source=${host}`, `target=${box}`, ...(writable ? [] : ['readonly'])]
  return `--mount=${fields.map(quoted).join(',')}`
}

/** The fields are those of a line of CSV. */
function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
