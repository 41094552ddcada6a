import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openProduct, type Product } from '../../src/app/open-product.ts'
import type { Config } from '../../src/config/config.ts'
import { Environment, readEnvironment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { formatProblems } from '../../src/config/problems.ts'
import type { InboundBody } from '../../src/core/inbox/inbound.ts'
import { saveCaller } from '../../src/db/people/callers.ts'
import type { Caller } from '../../src/domain/caller.ts'
import type { Gateway } from '../../src/gateway/run-gateway.ts'
import { newId } from '../../src/util/ids.ts'
import { silentLog } from '../../src/util/log.ts'
import { type BenchModel, createBenchModel } from './bench-model.ts'
import { type Arrived, type BenchPlatform, createBenchPlatform } from './bench-platform.ts'

/** The whole product in this process on an embedded Postgres of its own, with a model that takes no time. */
export interface Bench extends AsyncDisposable {
  readonly config: Config
  readonly environment: Environment
  readonly product: Product
  readonly gateway: Gateway
  readonly platform: BenchPlatform
  readonly model: BenchModel
  /** Sends what a person does; resolves when it is stored and handled. */
  act(conversation: string, body: InboundBody): Promise<void>
  /** Sends a message and waits for what it leads to. */
  ask(conversation: string, text: string, kind?: 'answer' | 'card'): Promise<Arrived>
}

const person: Caller = { id: 'bench:person', name: 'Person', role: 'user' }

/** `true` and `echo` are named, so that they run without a question in every sandbox. */
const rules = '{ "*": "ask", "bash": { "*": "ask", "true": "allow" } }\n'

/** `variables`: further ones of its environment. */
export async function openBench(variables: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const resources = new AsyncDisposableStack()
  endWhenInterrupted(resources)
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  resources.defer(() => rm(dataDir, { recursive: true, force: true }))
  const environment = benchEnvironment(dataDir, variables)
  const config = benchConfig(environment, dataDir)
  await mkdir(join(dataDir, 'workers', config.worker.name), { recursive: true, mode: 0o700 })
  await writeFile(join(dataDir, 'workers', config.worker.name, 'permissions.jsonc'), rules)
  const models = { model: createBenchModel() }
  const product = resources.use(await openProduct({ config, environment, log: silentLog, models }))
  await saveCaller(product.store.db, person)
  const platform = createBenchPlatform()
  const gateway = await product.serve(platform)
  const act: Bench['act'] = async (conversation, body) => {
    const { name } = platform
    const externalId = newId()
    await gateway.act({ platform: name, externalId, conversation, callerId: person.id, body })
  }
  return {
    config,
    environment,
    product,
    gateway,
    platform,
    model: models.model,
    act,
    ask: async (conversation, text, kind = 'answer') => {
      const arrived = platform.next(conversation, kind)
      await Promise.all([act(conversation, { kind: 'message', text }), arrived])
      return arrived
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Ctrl-C in the middle leaves no PostgreSQL and no data behind. */
function endWhenInterrupted(resources: AsyncDisposableStack): void {
  const end = (): void => {
    void resources.disposeAsync().finally(() => process.exit(130))
  }
  process.once('SIGINT', end).once('SIGTERM', end)
  resources.defer(() => void process.off('SIGINT', end).off('SIGTERM', end))
}

/** An environment with nothing in it that would change what is measured. */
function benchEnvironment(
  dataDir: string,
  variables: Readonly<Record<string, string>>,
): Environment {
  const { path, home } = readEnvironment()
  return new Environment({
    PATH: path,
    HOME: home,
    COUNTERSIGN_DATA_DIR: dataDir,
    COUNTERSIGN_LIMITS_MESSAGES_PER_MINUTE: '10000',
    ...variables,
  })
}

function benchConfig(environment: Environment, cwd: string): Config {
  const loaded = loadConfig({ cwd, environment })
  if (loaded.kind === 'invalid') throw new Error(formatProblems(loaded.problems))
  return loaded.config
}
