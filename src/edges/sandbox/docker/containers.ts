import { setTimeout as delay } from 'node:timers/promises'
import { keyLabel, labelFormat } from './box-line.ts'
import type { Engine } from './engine.ts'

/** BOX-06: ends and removes the containers of boxes whose key begins so, whatever state they are in; answers how many. */
export async function removeByPrefix(engine: Engine, prefix: string): Promise<number> {
  const all = await engine.run([
    ...['ps', '--all', '--no-trunc', '--filter', `label=${keyLabel}`],
    ...['--format', labelFormat],
  ])
  const found = all
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, key]) => key?.startsWith(prefix))
    .map(([id = '']) => id)
  for (const id of found) await removeContainer(engine, id)
  return found.length
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
