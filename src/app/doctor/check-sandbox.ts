import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import { silentLog } from '../../util/log.ts'
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
    const better = driver.name === 'bubblewrap' ? delegate : install
    const warnings = driver.warnings.map((words) => warn(what, words, better))
    return [ok(what, `${why}; ${limitsOf(config)}`), ...warnings]
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return [fail(what, words, `${install}, or set [sandbox] driver`)]
  }
}

const install = 'install bubblewrap (apt-get install bubblewrap) where user namespaces are allowed'
const delegate = 'run Countersign in a control group of its own (systemd: Delegate=yes)'

function limitsOf({ sandbox }: Config): string {
  const memory = `${(sandbox.memoryBytes / 1024 ** 3).toFixed(1)} GiB`
  return `limits of a box: ${sandbox.pids} processes, ${memory}, ${sandbox.cpus} processors`
}
