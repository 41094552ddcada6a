import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openToolRunner, type ToolRunner } from '../../src/cli/tools/open-tool-runner.ts'
import { Environment, readEnvironment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'

/** A workspace of its own, and what runs tools in it by one driver. */
export interface Boxes extends AsyncDisposable {
  readonly workspace: string
  /** One call; rejects when it failed. */
  run(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>
}

/** Rejects where the driver does not work on this machine. */
export async function openBoxes(driver: string, workspace?: string): Promise<Boxes> {
  const resources = new AsyncDisposableStack()
  try {
    const directory = await mkdtemp(join(tmpdir(), 'countersign-boxes-'))
    resources.defer(() => rm(directory, { recursive: true, force: true }))
    // Commands may run as another user.
    await chmod(directory, 0o711)
    const place = workspace ?? join(directory, 'workspace')
    await mkdir(place, { recursive: true })
    const environment = new Environment({
      PATH: readEnvironment().path,
      DOCKER_HOST: readEnvironment().get('DOCKER_HOST'),
      HOME: directory,
      COUNTERSIGN_DATA_DIR: join(directory, 'data'),
      COUNTERSIGN_WORKER_WORKSPACE: place,
      COUNTERSIGN_SANDBOX_DRIVER: driver,
    })
    const loaded = loadConfig({ cwd: directory, environment })
    if (loaded.kind === 'invalid') throw new Error(loaded.problems[0]?.message)
    const runner = resources.use(await openToolRunner({ config: loaded.config, environment }))
    return {
      workspace: place,
      run: (tool, args) => run(runner, tool, args),
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

/** Whether a box of this driver can be had here. */
export async function works(driver: string): Promise<boolean> {
  try {
    await using _ = await openBoxes(driver)
    return true
  } catch {
    return false
  }
}

async function run(
  runner: ToolRunner,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const outcome = await runner.run(tool, JSON.stringify(args))
  if (outcome.kind === 'succeeded') return outcome.output
  throw new Error(`${tool} went wrong: ${JSON.stringify(outcome).slice(0, 500)}`)
}
