import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEgress, openSandbox } from '../../app/processes/start-worker.ts'
import { mcpServersOf } from '../../app/settings/mcp-servers.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import { CommandError } from '../../domain/command-error.ts'
import type { McpServerState } from '../../domain/tool/mcp-tool.ts'
import { orAborted } from '../../util/abort.ts'
import { newId } from '../../util/ids.ts'
import { silentLog } from '../../util/log.ts'
import { plainText } from '../print.ts'
import { packageVersion } from '../version-command.ts'

interface TryInput {
  readonly config: Config
  readonly environment: Environment
  readonly server: string
  readonly signal: AbortSignal
}

/** MCP-09: starts one configured server, as a worker would, and returns what it says of itself, in lines for people. */
export async function tryServer(input: TryInput): Promise<readonly string[]> {
  const { config, environment, signal } = input
  const options = mcpServersOf(config).find(({ name }) => name === input.server)
  if (options === undefined)
    throw new CommandError(`there is no [mcp.${input.server}] that is switched on`, {
      code: 'UNKNOWN_NAME',
    })
  await using resources = new AsyncDisposableStack()
  const scratch = await mkdtemp(join(tmpdir(), 'countersign-mcp-'))
  resources.defer(() => rm(scratch, { recursive: true, force: true }))
  const { driver } = await openSandbox({ ...config, dataDir: scratch }, environment, silentLog)
  const { openMcpServers } = await import('../../worker/mcp/mcp-servers.ts')
  const told = Promise.withResolvers<McpServerState>()
  const surroundings = {
    driver,
    replica: newId(),
    version: packageVersion(),
    log: silentLog,
    openEgress,
  }
  resources.use(openMcpServers([options], surroundings, told.resolve))
  return linesOf(await orAborted(told.promise, signal))
}

function linesOf({ server, state, title, launch, note, tools }: McpServerState): readonly string[] {
  const head = [
    `${server}: ${state}${title === '' ? '' : `, ${plainText(title)}`}`,
    plainText(launch),
  ]
  const notes = note === undefined ? [] : [plainText(note)]
  const lines = tools.map(
    ({ name, sha256, description }) =>
      `  ${plainText(name)}  sha256 ${sha256.slice(0, 16)}  ${plainText(description.slice(0, 100))}`,
  )
  return [...head, ...notes, ...lines]
}
