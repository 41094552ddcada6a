import { createInterface } from 'node:readline'
import { createLog } from '../../src/app/logs/create-log.ts'
import { openProduct } from '../../src/app/open-product.ts'
import { readEnvironment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { formatProblems } from '../../src/config/problems.ts'
import { saveCaller } from '../../src/db/people/callers.ts'
import type { ChatPlatform } from '../../src/ports/chat.ts'
import { newId } from '../../src/util/ids.ts'
import type { PersonsDeed, ProductLine } from './real-product.ts'

/** The whole product with a chat of JSON lines over its pipes, so that a test sees exactly what people would. */
async function main(): Promise<void> {
  const asked = askedToEnd()
  const environment = readEnvironment()
  const loaded = loadConfig({ cwd: process.cwd(), environment })
  if (loaded.kind === 'invalid') throw new Error(formatProblems(loaded.problems))
  const { config } = loaded
  await using product = await openProduct({ config, environment, log: createLog(config) })
  await saveCaller(product.ctx.db, { id: 'test:ada', name: 'Ada', role: 'user' })
  const gateway = await product.serve(createPipePlatform())
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const { externalId, conversation, body }: PersonsDeed = JSON.parse(line)
    const inbound = { platform: 'pipe', externalId, conversation, callerId: 'test:ada', body }
    gateway.act(inbound).then(
      () => tell({ event: 'taken', externalId }),
      // Not confirmed: a platform would send it again.
      (error: unknown) => tell({ event: 'not-taken', externalId, why: String(error) }),
    )
  })
  tell({ event: 'ready', sandbox: product.driver.name })
  await asked
  lines.close()
  process.stdin.destroy()
}

/** As `countersign start` does it: the first signal drains, the second ends at once. */
function askedToEnd(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isAsked = false
  process.on('SIGTERM', () => {
    if (isAsked) process.exit(1)
    isAsked = true
    resolve()
  })
  return promise
}

function createPipePlatform(): ChatPlatform {
  return {
    name: 'pipe',
    deliver: async (conversation, message, { editOf }) => {
      const messageId = newId()
      const edit = editOf === undefined ? {} : { editOf }
      tell({ event: 'delivered', conversation, message, messageId, ...edit })
      return { kind: 'sent', messageId }
    },
    live: () => undefined,
  }
}

function tell(line: ProductLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

await main()
