import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createProductRedactor } from '../../app/logs/create-product-redactor.ts'
import { openWebTools } from '../../app/open-web-tools.ts'
import { boxParts, openSandbox } from '../../app/processes/start-worker.ts'
import { allowedPathsOf, maskedHostPaths, protectedPathsOf } from '../../app/settings/paths.ts'
import { sessionBoxes } from '../../app/settings/session-boxes.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import { CommandError } from '../../domain/command-error.ts'
import { declaredPaths } from '../../rules/gate/paths/judged-paths.ts'
import { builtinTools, createRegistry } from '../../rules/tools/registry.ts'
import { silentLog } from '../../util/log.ts'
import { createToolRunner, type ToolRunner as Runner } from '../../worker/create-tool-runner.ts'

/** Runs tool calls; see `createToolRunner`. */
export type ToolRunner = Runner

export interface ToolRunnerInput {
  /** `[worker] workspace` is the directory in which tools work. */
  readonly config: Config
  readonly environment: Environment
}

/** Opens a box on the configured workspace and a runner of tools in it; keeps nothing afterwards. */
export async function openToolRunner(input: ToolRunnerInput): Promise<ToolRunner> {
  const { config, environment } = input
  const { workspace } = config.worker
  if (workspace === undefined)
    throw new CommandError('no workspace is named', { code: 'WORKSPACE_UNUSABLE' })
  const resources = new AsyncDisposableStack()
  try {
    const scratch = await mkdtemp(join(tmpdir(), 'countersign-tools-'))
    resources.defer(() => rm(scratch, { recursive: true, force: true }))
    await mkdir(workspace, { recursive: true })
    const { driver } = await openSandbox({ ...config, dataDir: scratch }, environment, silentLog)
    const boxWorkspace = driver.boxWorkspace(resolve(workspace))
    const { file, scrape, shell } = config.tools
    const allowed = {
      files: allowedPathsOf(config, file.allowedPaths)(boxWorkspace),
      commands: allowedPathsOf(config, shell.allowedPaths)(boxWorkspace),
    }
    const web = resources.use(openWebTools(config))
    const { pipeline, ...parts } = boxParts(config, environment)
    const runner = resources.use(
      createToolRunner({
        ...parts,
        driver,
        registry: createRegistry(builtinTools),
        workerTools: web.tools,
        workspace: resolve(workspace),
        ...sessionBoxes(config, driver.name, await maskedHostPaths(config)),
        startTimeoutMs: config.sandbox.startTimeoutMs,
        rulesOf: ({ runsPrograms }) => ({
          workspace: boxWorkspace,
          allowed: runsPrograms === true ? allowed.commands : allowed.files,
          denyRead: file.denyRead,
          allowRead: file.allowRead,
          denyByRule: [],
          masked: protectedPathsOf(config)(boxWorkspace),
        }),
        pathsOf: (call) => declaredPaths(call, { workspace: boxWorkspace }),
        limits: {
          shellTimeoutMs: shell.timeoutMs,
          shellMaxTimeoutMs: shell.maxTimeoutMs,
          webTimeoutMs: scrape.timeoutMs,
        },
        pipeline: { ...pipeline, redactor: createProductRedactor(config) },
      }),
    )
    return { run: runner.run, [Symbol.asyncDispose]: () => resources.disposeAsync() }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}
