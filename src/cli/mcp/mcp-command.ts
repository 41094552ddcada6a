import type { Command } from 'commander'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { alignRows, plainText, print } from '../print.ts'
import type { ListedTool } from './list-servers.ts'

export function addMcpCommand(program: Command, invocation: Invocation): void {
  const mcp = program
    .command('mcp')
    .description('Show the tools of MCP servers, try a server, approve or refuse its tools.')
    .addHelpText('after', help)
  addList(mcp, invocation)
  addTest(mcp, invocation)
  for (const verb of ['approve', 'refuse'] as const) addDecision(mcp, invocation, verb)
}

const help = `
  $ npx countersign mcp test github
  $ npx countersign mcp list
  $ npx countersign mcp approve github 3f2a91c0d4e5b6a7

[mcp.NAME] in the configuration adds a server. Its tools wait until an operator approves
them as they are; one that changes waits again. docs/how-to/mcp.md goes through it.`

function addList(mcp: Command, invocation: Invocation): void {
  mcp
    .command('list')
    .description('Show what the servers of running workers offer, and what was decided.')
    .option('--json', 'JSON lines')
    .addHelpText('after', '\n  $ npx countersign mcp list')
    .action(async ({ json = false }: { json?: boolean }) => {
      const config = await readConfiguration(invocation)
      const { listServers } = await import('./list-servers.ts')
      const { environment } = invocation
      const { servers, tools } = await listServers({ config, environment, signal: interruption() })
      const lines = json
        ? [...servers, ...tools].map((row) => JSON.stringify(row))
        : [
            ...servers.flatMap(({ text }) => text),
            ...(tools.length === 0 ? [] : ['', ...table(tools)]),
          ]
      const nothing = 'no MCP server is known: is one configured, and does its worker run?'
      await print(`${(lines.length === 0 ? [nothing] : lines).join('\n')}\n`)
    })
}

function table(tools: readonly ListedTool[]): readonly string[] {
  const cells = tools.map(({ worker, name, state, sha256, description }) => [
    name,
    state,
    worker,
    sha256.slice(0, 16),
    plainText(description.slice(0, 80)),
  ])
  return alignRows([['TOOL', 'STATE', 'WORKER', 'SHA-256', 'DESCRIPTION'], ...cells])
}

function addTest(mcp: Command, invocation: Invocation): void {
  mcp
    .command('test')
    .description('Start a configured server in its box, or reach it, and show what it offers.')
    .argument('<server>', 'its name in the configuration')
    .addHelpText(
      'after',
      '\n  $ npx countersign mcp test github\n\nIt decides nothing, and the product need not run.',
    )
    .action(async (server: string) => {
      const config = await readConfiguration(invocation)
      const { tryServer } = await import('./try-server.ts')
      const { environment } = invocation
      const lines = await tryServer({ config, environment, server, signal: interruption() })
      await print(`${lines.join('\n')}\n`)
    })
}

function addDecision(mcp: Command, invocation: Invocation, verb: 'approve' | 'refuse'): void {
  const what = verb === 'approve' ? 'Offer' : 'Keep from models'
  mcp
    .command(verb)
    .description(`${what} the tools of a server that wait, as \`mcp list\` and the code name them.`)
    .argument('<server>', 'its name in the configuration')
    .argument('<code>', 'as `mcp list` and the notice to operators show it')
    .option('--worker <name>', 'the worker of the server; the configured one by default')
    .addHelpText(
      'after',
      `\n  $ npx countersign mcp ${verb} github 3f2a91c0d4e5b6a7\n\nAgents know it within 15 seconds.`,
    )
    .action(async (server: string, code: string, { worker }: { worker?: string }) => {
      const config = await readConfiguration(invocation)
      const { decide } = await import('./list-servers.ts')
      const { environment } = invocation
      const signal = interruption()
      const state = verb === 'approve' ? 'approved' : 'refused'
      const named = { server, code, worker: worker ?? config.worker.name, state } as const
      const names = await decide({ config, environment, ...named, signal })
      await print(`${state}: ${names.join(', ')}\n`)
    })
}
