import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RealProduct } from '../support/real-product.ts'
import { createPlace, type Place } from './support/place.ts'
import { approve, lastCall, say, untilAsked, untilCall, untilOver } from './support/steps.ts'

test('BASH-07 REL-01 CHAT-03 after kill -9 under a command, /undo goes back to before that command, and kill -9 under /undo costs nothing', async () => {
  const settings = { COUNTERSIGN_TOOLS_SHELL_TRANSACTIONAL: 'true' }
  await using place = await createPlace({ settings })
  let product = place.start()
  await product.ready
  await run(place, product, 'for i in $(seq 300); do echo kept > f$i; done')
  await untilOver(place)
  await run(place, product, 'rm f*; echo gone > gone; sleep 600')
  await expect.poll(() => isThere(place, 'gone'), { timeout: 60_000 }).toBe(true)
  place.killAll()
  product = place.start()
  const { result } = await untilCall(place, 'interrupted')
  expect(result).toContain('/undo puts the workspace back as it was before it')
  await untilOver(place)
  await say(product, '/undo')
  await place.until('the undo is under way', async (db) =>
    db.selectFrom('tool_call').select('id').where('tool', '=', 'undo').executeTakeFirst(),
  )
  place.killAll()
  product = place.start()
  await untilOver(place)
  // It had ended, or it is done again.
  if ((await lastCall(place)).state !== 'succeeded') await say(product, '/undo')
  expect(await untilCall(place, 'succeeded')).toMatchObject({ tool: 'undo' })
  expect(isThere(place, 'gone')).toBe(false)
  expect(isThere(place, 'f1')).toBe(true)
  expect(isThere(place, 'f300')).toBe(true)
}, 180_000)

async function run(place: Place, product: RealProduct, command: string): Promise<void> {
  await say(product, `run: ${command}`)
  await approve(product, await untilAsked(place))
}

function isThere({ dataDir }: Place, name: string): boolean {
  const workspaces = join(dataDir, 'workspaces')
  return readdirSync(workspaces).some((id) => existsSync(join(workspaces, id, name)))
}
