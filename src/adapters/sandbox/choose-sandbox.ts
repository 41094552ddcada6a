import type { SandboxDriver } from '../../ports/sandbox.ts'
import type { Log } from '../../util/log.ts'
import { createBubblewrapDriver } from './bubblewrap/bubblewrap-driver.ts'
import { createDockerDriver } from './docker/docker-driver.ts'
import { probeDriver } from './probe-driver.ts'
import { createProcessDriver } from './process/process-driver.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import { SandboxUnavailable } from './sandbox-options.ts'

export interface SandboxChoice extends SandboxOptions {
  readonly driver: 'auto' | 'bubblewrap' | 'docker' | 'process'
  readonly log: Log
}

/**
 * Chooses a driver (BOX-01): the requested one, or with `auto` the first of bubblewrap, docker and process that can start a
 * box; `why` is the reason for the start-up log. Rejects with SandboxUnavailable if none can.
 */
export async function chooseSandbox(
  choice: SandboxChoice,
): Promise<{ readonly driver: SandboxDriver; readonly why: string }> {
  const chosen = await (choice.driver === 'auto'
    ? chooseStrongest(choice)
    : createNamed(choice.driver, choice))
  const { driver, why } = chosen
  choice.log.info({ driver: driver.name, confined: driver.confined }, `sandbox: ${why}`)
  for (const warning of driver.warnings) choice.log.warn({ driver: driver.name }, warning)
  return chosen
}

type Chosen = Awaited<ReturnType<typeof chooseSandbox>>

type Name = SandboxDriver['name']

async function createNamed(name: Name, options: SandboxOptions): Promise<Chosen> {
  const driver = await createWorking(name, options)
  return { driver, why: `${describe(driver)}: [sandbox] driver asks for it` }
}

/**
 * By strength. The engine's socket gives root on its host, so docker is used automatically only if the image of boxes was
 * built.
 */
const byStrength: readonly Name[] = ['bubblewrap', 'docker', 'process']

async function chooseStrongest(
  options: SandboxOptions,
  names = byStrength,
  failures: readonly string[] = [],
): Promise<Chosen> {
  const [name = 'process', ...weaker] = names
  try {
    const driver = await createWorking(name, options)
    const why = failures.length === 0 ? 'the strongest that works here' : failures.join('; ')
    return { driver, why: `${describe(driver)}: ${why}` }
  } catch (error) {
    if (!(error instanceof SandboxUnavailable)) throw error
    const all = [...failures, `${name} does not work here (${error.message})`]
    if (weaker.length === 0) throw new SandboxUnavailable(all.join('; '), { cause: error })
    return chooseStrongest(options, weaker, all)
  }
}

const creators = {
  bubblewrap: createBubblewrapDriver,
  docker: createDockerDriver,
  process: createProcessDriver,
} as const

async function createWorking(name: Name, options: SandboxOptions): Promise<SandboxDriver> {
  const driver = await creators[name](options)
  await probeDriver(driver, options)
  return driver
}

function describe(driver: SandboxDriver): string {
  if (driver.name !== 'process') return driver.name
  return driver.confined ? 'process (as a user of its own)' : 'process (unconfined)'
}
