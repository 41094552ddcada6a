import type { KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chooseSandbox } from '../../adapters/sandbox/choose-sandbox.ts'
import { recordWorkspace } from '../../cli/setup/backup/served-workspaces.ts'
import { packageVersion } from '../../cli/version-command.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import { knownSecrets } from '../../config/secrets.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Queue } from '../../ports/queue.ts'
import type { SandboxDriver } from '../../ports/sandbox.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import type { Log } from '../../util/log.ts'
import type { OpenEgress } from '../../worker/mcp/mcp-options.ts'
import { startWorker } from '../../worker/worker.ts'
import type { WorkerTool } from '../../worker/worker-tool.ts'
import { loadFilters } from '../load-filters.ts'
import { extraShapes } from '../logs/create-product-redactor.ts'
import { openWebTools } from '../open-web-tools.ts'
import { commandEnvironment } from '../settings/command-environment.ts'
import { commandNetwork, networkAdvice } from '../settings/command-network.ts'
import { mcpServersOf } from '../settings/mcp-servers.ts'
import { maskedHostPaths } from '../settings/paths.ts'
import { sessionBoxes } from '../settings/session-boxes.ts'
import { readToolchains } from '../settings/toolchains.ts'

/** Loaded only where a server names hosts. */
export const openEgress: OpenEgress = async (options) => {
  const { openEgressProxy } = await import('../../adapters/egress/open-egress-proxy.ts')
  return openEgressProxy(options)
}

export interface WorkerParts {
  readonly config: Config
  readonly environment: Environment
  readonly queue: Queue
  readonly bus: Bus
  readonly driver: SandboxDriver
  readonly verifyKeys: ReadonlyMap<string, KeyObject>
  readonly workerToken: string
  readonly observer: Observer
  readonly log: Log
  /** Absent: the built-in ones. */
  readonly tools?: readonly ToolSpec[]
  /** Instead of the built-in ones, for tests. */
  readonly workerTools?: ReadonlyMap<string, WorkerTool>
}

const executorDir = fileURLToPath(new URL('../../executor', import.meta.url))

/** BOX-01: opens the configured sandbox and tests it. */
export async function openSandbox(config: Config, environment: Environment, log: Log) {
  const { driver, pids, memoryBytes, cpus, tmpBytes, engine, image } = config.sandbox
  const rgBinary = findRipgrep()
  const network = commandNetwork(config)
  const chosen = await chooseSandbox({
    driver,
    log,
    executorDir,
    cacheDir: join(config.dataDir, 'cache'),
    nodeBinary: process.execPath,
    workspacesDir: join(config.dataDir, 'workspaces'),
    ...(config.worker.workspace === undefined ? {} : { keptWorkspace: config.worker.workspace }),
    limits: { pids, memoryBytes, cpus, tmpBytes },
    docker: { program: engine, image, environment: engineEnvironment(environment) },
    ...(network === undefined ? {} : { network }),
    ...(rgBinary === undefined ? {} : { rgBinary }),
    ...(environment.path === undefined ? {} : { path: environment.path }),
  })
  const advice = networkAdvice(config, chosen.driver.name)
  if (advice === undefined) return chosen
  log.warn({ driver: chosen.driver.name }, advice)
  return { ...chosen, driver: { ...chosen.driver, warnings: [...chosen.driver.warnings, advice] } }
}

/** Variables by which engine programs find their engine, certificates and settings. */
const engineVariables = [
  ...['HOME', 'XDG_RUNTIME_DIR', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG'],
  ...['DOCKER_CERT_PATH', 'DOCKER_TLS', 'DOCKER_TLS_VERIFY', 'CONTAINER_HOST', 'CONTAINERS_CONF'],
]

function engineEnvironment(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    engineVariables.flatMap((name) => {
      const value = environment.get(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Starts a worker, in the embedded process or in one of its own. */
export async function runWorker(parts: WorkerParts): Promise<AsyncDisposable> {
  const { config, environment, queue, bus, driver, verifyKeys, workerToken, observer, log } = parts
  const { env, maxStreamBytes, maxDiagnostics, retries, pipeline } = boxParts(config, environment)
  for (const folder of readToolchains(config).missing)
    log.warn({ folder }, 'a folder of [tools.shell] toolchains does not exist')
  const { filters, warnings } = await loadFilters(config)
  for (const warning of warnings) log.warn({ filters: warning }, 'output filters')
  await recordWorkspace(config)
  const web = openWebTools(config)
  const worker = await startWorker({
    name: config.worker.name,
    queue,
    bus,
    driver,
    verifyKeys,
    token: workerToken,
    workspaceFor: workspaceFor(config),
    ...sessionBoxes(config, driver.name, await maskedHostPaths(config)),
    commandsHaveNetwork: commandNetwork(config) !== undefined,
    env,
    journalDir: join(config.dataDir, 'journal', config.worker.name),
    snapshotsDir: join(config.dataDir, 'snapshots'),
    knownSecrets: pipeline.knownSecrets,
    extraSecretShapes: extraShapes(config).shapes,
    warnOfSecrets: pipeline.warnOfSecrets,
    filters,
    limits: {
      concurrency: config.worker.concurrency,
      maxStreamBytes,
      maxDiagnostics,
      retries,
      maxOutputBytes: pipeline.maxOutputBytes,
      idleTimeoutMs: config.sandbox.idleTimeoutMs,
      maxBoxes: config.sandbox.maxBoxes,
      startTimeoutMs: config.sandbox.startTimeoutMs,
      graceMs: config.limits.shutdownGraceMs,
    },
    ...(parts.tools !== undefined && { tools: parts.tools }),
    mcpServers: mcpServersOf(config),
    openEgress,
    version: packageVersion(),
    workerTools: parts.workerTools ?? web.tools,
    now: Date.now,
    observer,
    log,
  })
  const stop = async (): Promise<void> => {
    await worker[Symbol.asyncDispose]()
    await web[Symbol.asyncDispose]()
  }
  return { [Symbol.asyncDispose]: stop }
}

/** Returns the configuration of boxes and their output, independent of who runs them. */
export function boxParts(config: Config, environment: Environment) {
  const { shell, overflow, filters, diagnostics, retry } = config.tools
  const { maxOverflowBytes } = overflow
  return {
    env: {
      ...commandEnvironment(shell.environment, environment),
      ...readToolchains(config).variables,
    },
    maxStreamBytes: shell.maxStreamBytes,
    maxDiagnostics: diagnostics.maxDiagnostics,
    retries: retry,
    pipeline: {
      knownSecrets: knownSecrets(config).map((value) => ({ kind: 'own-secret', value })),
      warnOfSecrets: filters.security.enabled,
      maxOutputBytes: maxOverflowBytes === 0 ? 50_000_000 : maxOverflowBytes,
    },
  }
}

/** BOX-07: returns the workspace directories: one configured for all, or one for each conversation. */
function workspaceFor(config: Config): (workspaceId: string) => string {
  const { workspace } = config.worker
  return (workspaceId) => workspace ?? join(config.dataDir, 'workspaces', workspaceId)
}

/** Returns the path of the binary of the optional package; without it the executor searches by itself. */
function findRipgrep(): string | undefined {
  try {
    const { rgPath }: { rgPath: string } = createRequire(import.meta.url)('@vscode/ripgrep')
    return existsSync(rgPath) ? rgPath : undefined
  } catch {
    return undefined
  }
}
