import { setTimeout as delay } from 'node:timers/promises'
import { keyLabel } from './box-line.ts'
import type { Engine } from './engine.ts'

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
export async function removeContainer(engine: Engine, container: string): Promise<void> {
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
