import type { Box } from '../../../ports/sandbox.ts'
import { SandboxUnavailable } from '../sandbox-options.ts'
import { spawnBox } from '../spawn-box.ts'
import { removeContainer } from './containers.ts'
import type { Engine } from './engine.ts'

/**
 * Creates a container by `line` and starts it with its standard streams attached. In two steps, so that it can be removed at
 * any time. The process of the box is the engine's program.
 */
export async function startContainer(
  engine: Engine,
  name: string,
  line: readonly string[],
): Promise<Box> {
  await engine.run(line).catch(async (cause: unknown) => {
    await removeContainer(engine, name).catch(() => undefined)
    throw new SandboxUnavailable(cause instanceof Error ? cause.message : String(cause), { cause })
  })
  const client = await spawnBox({
    file: engine.program,
    args: ['start', '--attach', '--interactive', name],
    env: engine.environment,
    cwd: '/',
  })
  const exited = client.exited.then((end) => ended(engine, name, end))
  const kill = async (): Promise<void> => {
    await removeContainer(engine, name).catch(() => killClient(client.pid))
    await exited
  }
  return { ...client, exited, kill }
}

type Exit = Awaited<Box['exited']>

/** Removes the container if the program was killed or lost its engine, which leave it running. */
async function ended(engine: Engine, name: string, end: Exit): Promise<Exit> {
  if (end.code !== 0) await removeContainer(engine, name).catch(() => undefined)
  return end
}

/** Closes the executor's standard input, if it is still connected. */
function killClient(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
