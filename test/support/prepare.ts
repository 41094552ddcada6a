import { spawnSync } from 'node:child_process'
import { bubblewrapFailure } from './bubblewrap-failure.ts'
import { inCi } from './in-ci.ts'

/** Run by `npm test` before the tests: installs what they need from the system, where it may, and says what it did. */
function prepare(): void {
  if (bubblewrapFailure() === undefined) return
  if (!isThere('bwrap')) installBubblewrap()
  const failure = bubblewrapFailure()
  if (failure === undefined) return
  const fate = inCi() ? 'fail, as CI must not skip them' : 'are skipped, each by its name'
  say(`bubblewrap does not work here (${failure}): the tests that need it ${fate}.`)
  if (inCi()) process.exitCode = 1
}

function installBubblewrap(): void {
  const asRoot = howToBecomeRoot()
  if (asRoot === undefined) {
    say('bubblewrap is missing. I may not install it: I am not root and sudo wants a password.')
    return
  }
  if (!isThere('apt-get')) {
    say('bubblewrap is missing, and there is no apt-get here to install it with.')
    return
  }
  say('bubblewrap is missing: installing it with apt-get.')
  const apt = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get']
  const install = [...apt, 'install', '--yes', '--no-install-recommends', 'bubblewrap']
  // The lists of packages may be missing (fresh image) or old.
  if (run(install) || (run([...apt, 'update']) && run(install))) return
  say('apt-get could not install bubblewrap; its own words are above.')
}

function howToBecomeRoot(): readonly string[] | undefined {
  if (process.geteuid?.() === 0) return []
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined
}

function run([file = '', ...args]: readonly string[]): boolean {
  return spawnSync(file, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
}

function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined
}

function say(words: string): void {
  process.stdout.write(`prepare: ${words}\n`)
}

prepare()
