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
    const isRoots = driver.name === 'bubblewrap' && process.getuid?.() === 0
    const root = isRoots
      ? '; in workspaces of root, boxes run as root without its rights: give those to another user (chown), or start Countersign as one'
      : ''
    return [
      ok(what, `${why}; ${limitsOf(config)}${apart}; ${bits}${root}`),
      ...warnings,
      ...networkFindings(config, driver.name),
      ...toolchainFindings(config),
    ]
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return [fail(what, words, `${missing(config)}, or set [sandbox] driver`)]
  }
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
