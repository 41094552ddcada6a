import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { openSandbox } from '../../app/processes/start-worker.ts'
import { commandNetwork, networkRecipe } from '../../app/settings/command-network.ts'
import { sessionBoxes } from '../../app/settings/session-boxes.ts'
import { readToolchains } from '../../app/settings/toolchains.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import type { SandboxDriver } from '../../ports/sandbox.ts'
import { silentLog } from '../../util/log.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Starts a box as a worker would, and reports the driver and its weaknesses. */
export async function checkSandbox(
  config: Config,
  environment: Environment,
): Promise<readonly Finding[]> {
  const what = 'sandbox'
  try {
    const { driver, why } = await openSandbox(config, environment, silentLog)
    const warnings = driver.warnings.map((words) => warn(what, words, mendOf(driver.name, words)))
    const { commandMounts } = sessionBoxes(config, driver.name, [])
    const apart = commandMounts === undefined ? '' : '; commands have a box of their own'
    const bits = driver.refusesSetuid
      ? 'setuid bits are refused'
      : 'setuid bits are taken away after each command'
    return [
      ok(what, `${why}; ${limitsOf(config)}${apart}; ${bits}${userOf(driver)}`),
      ...warnings,
      ...networkFindings(config, driver.name),
      ...ownerFindings(config, driver),
      ...toolchainFindings(config),
    ]
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return [fail(what, words, `${missing(config)}, or set [sandbox] driver`)]
  }
}

const startsAsRoot = process.getuid?.() === 0

/** THREAT-31: describes the user of commands, where root starts boxes; empty where boxes run as our own user. */
export function userOf(
  { name, confined }: Pick<SandboxDriver, 'name' | 'confined'>,
  isRoot = startsAsRoot,
): string {
  if (!confined || !isRoot) return ''
  const owner =
    name === 'process'
      ? 'a user of its own'
      : "its owner, and one of root's is given to a user of its own"
  return `; no command runs as root: a workspace's commands run as ${owner}`
}

/** Reports places that commands may write by the configuration, but not by the permissions of the host. */
function ownerFindings(config: Config, { confined }: SandboxDriver): readonly Finding[] {
  if (!confined || !startsAsRoot) return []
  const places = new Set([...config.tools.shell.allowedPaths, ...config.tools.file.allowedPaths])
  return [...places]
    .filter((path) => isAbsolute(path) && isRootsAlone(path))
    .map((path) =>
      warn(
        'sandbox',
        `${path} belongs to root, and no box runs as root: its commands cannot write there`,
        'give it to the user of the workspace (chown, chgrp, setfacl), or start Countersign as another user',
      ),
    )
}

function isRootsAlone(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.uid === 0 && stats.gid === 0 && (stats.mode & 0o002) === 0
}

function toolchainFindings(config: Config): readonly Finding[] {
  const { folders, missing, masked } = readToolchains(config)
  const how = 'correct [tools.shell] toolchains'
  const hidden = masked.length === 0 ? '' : `; hidden in them: ${masked.join(', ')}`
  return [
    ...missing.map((folder) => warn('toolchains', `${folder} is not there`, how)),
    ...(folders.length === 0 ? [] : [ok('toolchains', `${folders.join(', ')}${hidden}`)]),
  ]
}

/** BASH-11: reports whether commands have a network, and how to give them one. */
function networkFindings(config: Config, driver: SandboxDriver['name']): readonly Finding[] {
  const network = commandNetwork(config)
  if (network !== undefined) return [ok('network', `commands have ${network}`)]
  // A sandbox warning already reports it.
  if (config.tools.shell.allowNetwork) return []
  return [ok('network', `commands have none. To give them one: ${networkRecipe(driver)}`)]
}

const install = 'install bubblewrap (apt-get install bubblewrap) where user namespaces are allowed'
const engine =
  'install docker.io or podman, let this user reach its engine, and make the image of boxes ([sandbox] engine, image, network)'

/** Remedies for a driver's warnings. */
const better = {
  bubblewrap: 'run Countersign in a control group of its own (systemd: Delegate=yes)',
  docker: 'give the engine control groups (rootless: cgroup version 2, delegated by systemd)',
  process: install,
  network: 'keep databases, queues and metadata services out of that network',
} as const

function mendOf(driver: SandboxDriver['name'], warning: string): string {
  if (warning.startsWith('[tools.shell] allow_network')) return 'or turn allow_network off'
  if (warning.startsWith('the image '))
    return 'build it anew: docker build --target box --tag countersign-box .'
  const isOfNetwork = driver === 'docker' && warning.startsWith('commands reach')
  return isOfNetwork ? better.network : better[driver]
}

function missing({ sandbox, tools }: Config): string {
  return sandbox.driver === 'docker' || tools.shell.allowNetwork ? engine : install
}

function limitsOf({ sandbox }: Config): string {
  const memory = `${(sandbox.memoryBytes / 1024 ** 3).toFixed(1)} GiB`
  return `limits of a box: ${sandbox.pids} processes, ${memory}, ${sandbox.cpus} processors`
}
