import { spawnSync } from 'node:child_process'
import { bubblewrapFailure } from './bubblewrap-failure.ts'
import { isNightly } from './nightly.ts'

/** A package of the system that some tests need. */
export interface SystemPackage {
  /** As apt-get knows it. */
  readonly name: string
  /** What is missing or does not work; undefined when the tests can run. */
  readonly failure: () => string | undefined
  /** False where it is there and installing it would mend nothing. */
  readonly isMissing: () => boolean
  /** The tests that are skipped without it, as a plural. */
  readonly tests: string
}

export const systemPackages: readonly SystemPackage[] = [
  {
    name: 'bubblewrap',
    failure: bubblewrapFailure,
    isMissing: () => programFailure('bwrap') !== undefined,
    tests: 'the tests that run tools in a bubblewrap box',
  },
  // Its own service may start: tests start servers of theirs, on free ports and with passwords.
  program('redis-server', 'redis-server', 'the tests of the queue and the bus on Redis'),
  program('openssl', 'openssl', 'the tests of Redis over TLS'),
  program('tmux', 'tmux', 'the tests of what a person sees at a terminal'),
  ...(isNightly ? ['dockerd', 'docker-compose', 'mmdebstrap'].map(forImages) : []),
]

function forImages(file: string): SystemPackage {
  return program(file === 'dockerd' ? 'docker.io' : file, file, 'the tests of images and compose')
}

function program(name: string, file: string, tests: string): SystemPackage {
  const failure = () => programFailure(file)
  return { name, failure, isMissing: () => failure() !== undefined, tests }
}

/** Why a program cannot be started; undefined when it can. */
export function programFailure(file: string): string | undefined {
  const { error } = spawnSync(file, ['--version'], { timeout: 20_000 })
  return error?.message
}
