import type { SandboxDriver } from '../../ports/sandbox.ts'
import type { Log } from '../../util/log.ts'
import { createBubblewrapDriver } from './bubblewrap/bubblewrap-driver.ts'
import { createDockerDriver } from './docker/docker-driver.ts'
import { probeDriver } from './probe-driver.ts'
import { createProcessDriver } from './process/process-driver.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'

export interface SandboxChoice extends SandboxOptions {
  readonly driver: 'auto' | 'bubblewrap' | 'docker' | 'process'
  readonly log: Log
}

/**
 * BOX-01: the driver asked for, or with `auto` the first of bubblewrap, docker and process that starts a box here; `why` says
 * so in words for start-up. Rejects with SandboxUnavailable when none does.
 */
export async function chooseSandbox(
  choice: SandboxChoice,
): Promise<{ readonly driver: SandboxDriver; readonly why: string }> {
  const chosen = await (choice.driver === 'auto' ? strongest(choice) : named(choice.driver, choice))
  const { driver, why } = chosen
  choice.log.info({ driver: driver.name, confined: driver.confined }, `sandbox: ${why}`)
  for (const warning of driver.warnings) choice.log.warn({ driver: driver.name }, warning)
  return chosen
}

type Chosen = Awaited<ReturnType<typeof chooseSandbox>>

type Name = SandboxDriver['name']

async function named(name: Name, options: SandboxOptions): Promise<Chosen> {
  const driver = await working(name, options)
  return { driver, why: `${words(driver)}: [sandbox] driver asks for it` }
}

/** An engine's socket is root on its host: it is used unasked only where the image of boxes was made. */
const byStrength: readonly Name[] = ['bubblewrap', 'docker', 'process']

async function strongest(
  options: SandboxOptions,
  names = byStrength,
  failures: readonly string[] = [],
): Promise<Chosen> {
  const [name = 'process', ...weaker] = names
  try {
    const driver = await working(name, options)
    const why = failures.length === 0 ? 'the strongest that works here' : failures.join('; ')
    return { driver, why: `${words(driver)}: ${why}` }
  } catch (error) {
    if (!(error instanceof SandboxUnavailable)) throw error
    const all = [...failures, `${name} does not work here (${error.message})`]
    if (weaker.length === 0) throw new SandboxUnavailable(all.join('; '), { cause: error })
    return strongest(options, weaker, all)
  }
}

const creators = {
  bubblewrap: createBubblewrapDriver,
  docker: createDockerDriver,
  process: createProcessDriver,
} as const

async function working(name: Name, options: SandboxOptions): Promise<SandboxDriver> {
  const driver = await creators[name](options)
  await probeDriver(driver, options)
  return driver
}

function words(driver: SandboxDriver): string {
  if (driver.name !== 'process') return driver.name
  return driver.confined ? 'process (as a user of its own)' : 'process (unconfined)'
}
