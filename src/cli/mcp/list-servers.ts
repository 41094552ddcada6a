import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { decideOnTools } from '../../core/mcp/decide-tools.ts'
import { codeOf, waitingOf } from '../../core/mcp/waiting-tools.ts'
import { inTransaction } from '../../db/database.ts'
import { findOffered, findServers } from '../../db/worker/mcp-tools.ts'
import { CommandError } from '../../domain/command-error.ts'
import { mcpToolName } from '../../domain/tool/mcp-tool.ts'
import { plainText } from '../print.ts'

type Input = CommandInput & { readonly signal: AbortSignal }

interface ListedServer {
  readonly worker: string
  readonly server: string
  readonly state: string
  readonly title: string
  readonly launch: string
  readonly note?: string
  /** Approves or refuses the tools that wait. */
  readonly code?: string
  /** For people. */
  readonly text: readonly string[]
}

export interface ListedTool {
  readonly worker: string
  readonly server: string
  readonly name: string
  readonly state: string
  readonly sha256: string
  readonly description: string
}

/** MCP-09: the servers of running workers, and the tools that they offer at the moment. */
export function listServers(input: Input) {
  return withDatabase(input, async ({ db }) => {
    const offered = await findOffered(db)
    const servers = (await findServers(db)).map((row): ListedServer => {
      const { worker, server, state, title, launch } = row
      const waiting = waitingOf(offered, row)
      const code = waiting.length === 0 ? undefined : codeOf(waiting)
      const known = { worker, server, state, title, launch }
      return {
        ...known,
        ...(row.note === null ? {} : { note: row.note }),
        ...(code === undefined ? {} : { code }),
        text: textOf(row, waiting.length, code),
      }
    })
    const tools = offered.map(
      ({ worker, server, name, state, sha256, description }): ListedTool => {
        const shown = mcpToolName(server, name)
        return { worker, server, name: shown, state, sha256, description }
      },
    )
    return { servers, tools }
  })
}

function textOf(
  row: Awaited<ReturnType<typeof findServers>>[number],
  waiting: number,
  code: string | undefined,
): readonly string[] {
  const { worker, server, state, title, launch, note } = row
  const head = `${server} (worker ${worker}): ${state}${title === '' ? '' : `, ${plainText(title)}`}`
  return [
    head,
    `  ${plainText(launch)}`,
    ...(note === null ? [] : [`  ${plainText(note)}`]),
    ...(code === undefined
      ? []
      : [
          `  ${waiting} wait: countersign mcp approve ${server} ${code}, or mcp refuse ${server} ${code}`,
        ]),
  ]
}

/** MCP-01: decides on the tools of a server that wait; returns their names. */
export function decide({
  server,
  code,
  worker,
  state,
  ...input
}: Input & {
  readonly server: string
  readonly code: string
  readonly worker: string
  readonly state: 'approved' | 'refused'
}): Promise<readonly string[]> {
  const by = `console:${input.environment.user}`
  return withDatabase(input, ({ db }) =>
    inTransaction(db, async (trx) => {
      const decided = await decideOnTools({ db: trx }, { worker, server, code, state, by })
      if (decided !== 'changed') return decided.map((tool) => mcpToolName(tool.server, tool.name))
      throw new CommandError(
        `nothing was decided: other tools of ${server} wait by now, or none; countersign mcp list shows them`,
        { code: 'UNKNOWN_NAME' },
      )
    }),
  )
}
