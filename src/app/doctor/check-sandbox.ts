import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import type { SandboxDriver } from '../../ports/sandbox.ts'
import { silentLog } from '../../util/log.ts'
import { sessionBoxes } from '../session-boxes.ts'
import { openSandbox } from '../start-worker.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Starts a box as a worker would, and says which driver that was and what it does not keep commands from. */
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
    return [ok(what, `${why}; ${limitsOf(config)}${apart}`), ...warnings]
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return [fail(what, words, `${missing(config)}, or set [sandbox] driver`)]
  }
}

const install = 'install bubblewrap (apt-get install bubblewrap) where user namespaces are allowed'
const engine =
  'install docker.io or podman, let this user reach its engine, and make the image of boxes ([sandbox] engine, image, network)'

/** What mends a driver's warnings. */
const better = {
  bubblewrap: 'run Countersign in a control group of its own (systemd: Delegate=yes)',
  docker: 'give the engine control groups (rootless: cgroup version 2, delegated by systemd)',
  process: install,
  network: 'keep databases, queues and metadata services out of that network',
} as const

function mendOf(driver: SandboxDriver['name'], warning: string): string {
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
