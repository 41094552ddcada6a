import { spawnSync } from 'node:child_process'
import { inCi } from './in-ci.ts'
import { programFailure, type SystemPackage, systemPackages } from './system-packages.ts'

/** Run by `npm test` before the tests: installs what they need from the system, where it may, and says what it did. */
function prepare(packages: readonly SystemPackage[]): void {
  install(packages.filter((one) => one.failure() !== undefined && one.isMissing()))
  for (const { name, failure, tests } of packages) {
    const reason = failure()
    if (reason === undefined) continue
    const fate = inCi() ? 'fail, as CI must not skip them' : 'are skipped, each by its name'
    say(`${name} does not work here (${reason}): ${tests} ${fate}.`)
    if (inCi()) process.exitCode = 1
  }
}

function install(missing: readonly SystemPackage[]): void {
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name).join(', ')
  const asRoot = howToBecomeRoot()
  if (asRoot === undefined) {
    say(`I may not install ${names}: I am not root and sudo wants a password.`)
    return
  }
  if (programFailure('apt-get') !== undefined) {
    say(`there is no apt-get here to install ${names} with.`)
    return
  }
  const apt = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get']
  say(`installing ${names} with apt-get.`)
  const failed = missing.filter(({ name }) => !installOne(apt, name))
  if (failed.length === 0) return
  // The lists of packages may be missing (fresh image) or old.
  run([...apt, 'update'])
  for (const { name } of failed) {
    if (!installOne(apt, name)) say(`apt-get could not install ${name}; its own words are above.`)
  }
}

/** One at a time, so that one that the system does not have does not keep the others out. */
function installOne(apt: readonly string[], name: string): boolean {
  return run([...apt, 'install', '--yes', '--no-install-recommends', name])
}

function howToBecomeRoot(): readonly string[] | undefined {
  if (process.geteuid?.() === 0) return []
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined
}

function run([file = '', ...args]: readonly string[]): boolean {
  return spawnSync(file, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
}

function say(words: string): void {
  process.stdout.write(`prepare: ${words}\n`)
}

prepare(systemPackages)
