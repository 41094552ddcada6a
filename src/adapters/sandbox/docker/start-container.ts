import type { Box } from '../../../ports/sandbox.ts'
import { SandboxUnavailable } from '../sandbox-unavailable.ts'
import { spawnBox } from '../spawn-box.ts'
import { removeContainer } from './containers.ts'
import type { Engine } from './engine.ts'

/**
 * Makes a container by `line` and starts it with its standard streams on ours. Made first and started then, so that
 * there is something to end as soon as there is something to run. The process of the box is the engine's program.
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

/** A program that was killed, or has lost its engine, leaves its container running. */
async function ended(engine: Engine, name: string, end: Exit): Promise<Exit> {
  if (end.code !== 0) await removeContainer(engine, name).catch(() => undefined)
  return end
}

/** With its standard input the executor's closes, where it still listens. */
function killClient(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
