import { boxMounts, type Cover, type Mount, type NamedSpec } from '../box-mounts.ts'

/** Boxes see the host's programs. */
const system = { own: [], shared: [{ host: '/usr', box: '/usr', writable: false }] } as const

/** The places that a box sees, with bubblewrap's arguments that mount them, and cover what is hidden in them. */
export function jailMounts(spec: NamedSpec) {
  const { mounts, covers, covered, placeholders } = boxMounts(spec, system)
  return {
    arguments: [...mounts.flatMap(toBind), ...covers.flatMap(toCover)],
    covered,
    placeholders,
  }
}

function toBind(mount: Mount): readonly string[] {
  return [mount.writable ? '--bind-try' : '--ro-bind-try', mount.host, mount.box]
}

function toCover({ box, directory }: Cover): readonly string[] {
  return directory ? ['--tmpfs', box, '--remount-ro', box] : ['--ro-bind', '/dev/null', box]
}
