import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { boxExecutor } from '../../../ports/sandbox.ts'
import {
  boxMounts,
  type Cover,
  isInside,
  type Mount,
  type NamedSpec,
  ownOfBoxes,
} from '../box-mounts.ts'

/** Programs come from the image: mounts must not hide them. */
const system = {
  own: ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/sys'],
  shared: [],
}

/** Paths that mounts must not hide. */
export const ownOfContainers = [...ownOfBoxes, ...system.own]

/** Paths of the host that every box has, read-only. */
export interface OwnPlaces {
  /** The executor as plain JavaScript. */
  readonly executorDir: string
  /** An empty directory. */
  readonly emptyDir: string
  /** Synthetic account files. */
  readonly passwd: string
  readonly group: string
}

/** Engine arguments that mount the paths of a box and cover the masked ones. */
export function containerMounts(spec: NamedSpec, own: OwnPlaces) {
  const { mounts, covers, covered, placeholders } = boxMounts(spec, system)
  const places = mounts.filter(({ host }) => existsSync(host)).flatMap(withInner)
  const all = [...ownMounts(own), ...places, ...covers.map((cover) => overlay(cover, own))]
  // Engines refuse two mounts at one path; the later one counts.
  const last = new Map(all.map((mount) => [mount.box, mount]))
  // If only parts of the workspace are mounted, nothing can be created next to them.
  const around = spec.workspaceParts === undefined ? [] : [`--mount=${emptyAt(spec.name)}`]
  return { arguments: [...around, ...[...last.values()].map(toArgument)], covered, placeholders }
}

function ownMounts(own: OwnPlaces): readonly Mount[] {
  return [
    { host: own.executorDir, box: boxExecutor, writable: false },
    { host: own.passwd, box: '/etc/passwd', writable: false },
    { host: own.group, box: '/etc/group', writable: false },
  ]
}

// Not a tmpfs, which some engines fill with the content it covers.
function overlay({ box, directory }: Cover, { emptyDir }: OwnPlaces): Mount {
  return { host: directory ? emptyDir : '/dev/null', box, writable: false }
}

/** Adds nested mounts as read-only, as in many engines `readonly` does not extend to them. */
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

/** Mount points of this process: the fifth field, with octal escapes. */
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

/** Fields are encoded as CSV. */
function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
