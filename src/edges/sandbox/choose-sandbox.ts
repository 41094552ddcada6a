import type { SandboxDriver } from '../../ports/sandbox.ts'
import type { Log } from '../../util/log.ts'
import { createBubblewrapDriver } from './bubblewrap/bubblewrap-driver.ts'
import { probeDriver } from './probe-driver.ts'
import { createProcessDriver } from './process/process-driver.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'

export interface SandboxChoice extends SandboxOptions {
  readonly driver: 'auto' | 'bubblewrap' | 'docker' | 'process'
  readonly log: Log
}

/**
 * BOX-01: the driver asked for, or with `auto` the first of bubblewrap and process that starts a box here; `why` says
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

async function named(
  name: Exclude<SandboxChoice['driver'], 'auto'>,
  options: SandboxOptions,
): Promise<Chosen> {
  if (name === 'docker')
    throw new SandboxUnavailable(
      'this version has no docker driver: set [sandbox] driver to "auto", "bubblewrap" or "process"',
    )
  const driver = await working(name, options)
  return { driver, why: `${words(driver)}: [sandbox] driver asks for it` }
}

async function strongest(options: SandboxOptions): Promise<Chosen> {
  try {
    const driver = await working('bubblewrap', options)
    return { driver, why: `${words(driver)}: the strongest that works here` }
  } catch (error) {
    if (!(error instanceof SandboxUnavailable)) throw error
    const driver = await working('process', options)
    return { driver, why: `${words(driver)}: bubblewrap does not work here (${error.message})` }
  }
}

async function working(
  name: 'bubblewrap' | 'process',
  options: SandboxOptions,
): Promise<SandboxDriver> {
  const create = name === 'bubblewrap' ? createBubblewrapDriver : createProcessDriver
  const driver = await create(options)
  await probeDriver(driver, options.cacheDir)
  return driver
}

function words(driver: SandboxDriver): string {
  if (driver.name === 'bubblewrap') return 'bubblewrap'
  return driver.confined ? 'process (as a user of its own)' : 'process (unconfined)'
}
