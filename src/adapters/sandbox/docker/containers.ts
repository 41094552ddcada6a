import { setTimeout as delay } from 'node:timers/promises'
import { keyLabel } from './box-line.ts'
import type { Engine } from './engine.ts'

/** BOX-06: ends and removes the containers of boxes whose key begins so, whatever state they are in; answers how many. */
export async function removeByPrefix(engine: Engine, prefix: string): Promise<number> {
  const filter = ['--filter', `label=${keyLabel}`]
  const all = await engine.run(['ps', '--all', '--quiet', '--no-trunc', ...filter])
  const ids = all.split('\n').filter((id) => id !== '')
  const keys = await Promise.all(ids.map((id) => keyOf(engine, id)))
  const found = ids.filter((_id, index) => keys[index]?.startsWith(prefix))
  for (const id of found) await removeContainer(engine, id)
  return found.length
}

/** Undefined for one that has gone meanwhile. */
async function keyOf(engine: Engine, id: string): Promise<string | undefined> {
  const format = `{{index .Config.Labels "${keyLabel}"}}`
  const told = engine.run(['container', 'inspect', '--format', format, id])
  return told.then(
    (key) => key.trim(),
    () => undefined,
  )
}

/** Ends a container at once and waits until it is gone. One that is gone is no error. Rejects when it stays. */
export async function removeContainer(engine: Engine, container: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await engine.run(['rm', '--force', '--volumes', container])
    } catch (error) {
      // "Already in progress" where its own removal has begun.
      if (tries >= 50) throw error
    }
    if (!(await isThere(engine, container))) return
    await delay(100)
  }
}

async function isThere(engine: Engine, container: string): Promise<boolean> {
  return engine.run(['container', 'inspect', '--format', '{{.Id}}', container]).then(
    () => true,
    (error: unknown) => !/no such|no container/i.test(String(error)),
  )
}
