import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { boxParts, openSandbox } from '../src/app/processes/start-worker.ts'
import { sessionBoxes } from '../src/app/settings/session-boxes.ts'
import { Environment, readEnvironment } from '../src/config/env.ts'
import { loadConfig } from '../src/config/load.ts'
import { silentLog } from '../src/util/log.ts'
import { BoxPool } from '../src/worker/box/box-pool.ts'
import { repeat } from './support/repeat.ts'

/** What a worker is made of, in a process of its own, with so many warm boxes: `directory driver keyPrefix`. */
const [directory = '', driver = '', keyPrefix = ''] = process.argv.slice(2)
// All that a worker of its own has loaded.
await import('../src/app/processes/run-worker-process.ts')
const environment = new Environment({
  PATH: readEnvironment().path,
  HOME: directory,
  COUNTERSIGN_DATA_DIR: join(directory, 'data'),
  COUNTERSIGN_SANDBOX_DRIVER: driver,
  DOCKER_HOST: readEnvironment().get('DOCKER_HOST'),
})
const loaded = loadConfig({ cwd: directory, environment })
if (loaded.kind === 'invalid') throw new Error(loaded.problems[0]?.message)
const { config } = loaded
const workspaceOf = (id: string): string => join(config.dataDir, 'workspaces', id)
const sandbox = await openSandbox(config, environment, silentLog)
const parts = boxParts(config, environment)
const { mounts } = sessionBoxes(config, sandbox.driver.name, [])
const over = Promise.withResolvers<void>()
process.once('disconnect', () => over.resolve())
process.on('message', (message) => void warm((message as { boxes: number }).boxes))
await using pool = new BoxPool({
  driver: sandbox.driver,
  idleTimeoutMs: 24 * 60 * 60_000,
  maxBoxes: 1_000,
  specFor: (id) => ({
    key: `${keyPrefix}${id}`,
    workspace: workspaceOf(id),
    ...mounts,
  }),
})
process.send?.({ kind: 'ready', postmaster: 0 })
await over.promise

async function warm(boxes: number): Promise<void> {
  await repeat(boxes, async (index) => {
    await mkdir(workspaceOf(`c${index}`), { recursive: true })
    using lease = await pool.lease(`c${index}`, AbortSignal.timeout(120_000))
    await runTrue(lease.client, workspaceOf(`c${index}`))
  })
  process.send?.({ kind: 'done' })
}

async function runTrue(
  client: Awaited<ReturnType<BoxPool['lease']>>['client'],
  workspace: string,
): Promise<void> {
  const inBox = sandbox.driver.boxWorkspace(workspace)
  const rules = { allowed: [], denyRead: [], allowRead: [], denyByRule: [], masked: [] }
  const answer = await client.call(
    {
      tool: 'bash',
      arguments: { command: 'true' },
      rules: { workspace: inBox, ...rules },
      judged: [],
      timeoutMs: 60_000,
      maxStreamBytes: parts.maxStreamBytes,
      maxDiagnostics: parts.maxDiagnostics,
      env: parts.env,
    },
    { started: () => undefined, progress: () => undefined },
    AbortSignal.timeout(120_000),
  )
  if (answer.kind !== 'answered' || answer.outcome.kind !== 'ok')
    throw new Error(`not warm: ${JSON.stringify(answer)}`)
}
