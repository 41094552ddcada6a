import { setTimeout as delay } from 'node:timers/promises'
import type { Box } from '../../../ports/sandbox.ts'
import { SandboxUnavailable } from '../sandbox-options.ts'
import { spawnBox } from '../spawn-box.ts'
import { keyLabel } from './box-line.ts'
import type { Engine } from './engine-facts.ts'

/**
 * Creates a container by `line` and starts it with its standard streams attached. In two steps, so that it can be removed at
 * any time. The process of the box is the engine's program. `env` holds the values of variables that `line` only names.
 */
export async function startContainer(
  engine: Engine,
  name: string,
  line: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<Box> {
  await engine.run(line, env).catch(async (cause: unknown) => {
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

/** Removes the containers of boxes whose key has the prefix, in any state; returns their number (BOX-06). */
export async function removeByPrefix(engine: Engine, prefix: string): Promise<number> {
  const filter = ['--filter', `label=${keyLabel}`]
  const all = await engine.run(['ps', '--all', '--quiet', '--no-trunc', ...filter])
  const ids = all.split('\n').filter((id) => id !== '')
  const keys = await Promise.all(ids.map((id) => keyOf(engine, id)))
  const found = ids.filter((_id, index) => keys[index]?.startsWith(prefix))
  for (const id of found) await removeContainer(engine, id)
  return found.length
}

/** Undefined if the container no longer exists. */
async function keyOf(engine: Engine, id: string): Promise<string | undefined> {
  const format = `{{index .Config.Labels "${keyLabel}"}}`
  const output = engine.run(['container', 'inspect', '--format', format, id])
  return output.then(
    (key) => key.trim(),
    () => undefined,
  )
}

/** Kills and removes a container, and waits until it is gone. A missing container is not an error. Rejects if it stays. */
async function removeContainer(engine: Engine, container: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await engine.run(['rm', '--force', '--volumes', container])
    } catch (error) {
      // "Already in progress" while its own removal is under way.
      if (tries >= 50) throw error
    }
    if (!(await exists(engine, container))) return
    await delay(100)
  }
}

async function exists(engine: Engine, container: string): Promise<boolean> {
  return engine.run(['container', 'inspect', '--format', '{{.Id}}', container]).then(
    () => true,
    (error: unknown) => !/no such|no container/i.test(String(error)),
  )
}
