import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync } from 'node:fs'

/** Starts a program in a bubblewrap box; what went wrong, or undefined when it ran. */
export function bubblewrapFailure(): string | undefined {
  const done = spawnSync('bwrap', [...box, '/usr/bin/true'], { encoding: 'utf8', timeout: 20_000 })
  if (done.error !== undefined) return done.error.message
  if (done.status === 0) return undefined
  return done.stderr.trim() || `bwrap ended with ${done.signal ?? done.status}`
}

const systemLinks = ['/bin', '/lib', '/lib64', '/sbin'].filter((path) => existsSync(path))

const box = [
  ['--unshare-all', '--die-with-parent', '--ro-bind', '/usr', '/usr'],
  ...systemLinks.map((path) =>
    lstatSync(path).isSymbolicLink()
      ? ['--symlink', `usr${path}`, path]
      : ['--ro-bind', path, path],
  ),
  ['--proc', '/proc', '--dev', '/dev'],
].flat()
