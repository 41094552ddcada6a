import type { Command } from 'commander'
import { CommandError } from '../../domain/command-error.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { addGateExplainCommand } from './gate-explain-command.ts'
import { addGateReplayCommand } from './gate-replay-command.ts'
import { addGateShadow } from './gate-shadow.ts'
import { addGateSuggestCommand } from './gate-suggest-command.ts'

export function addGateCommand(program: Command, invocation: Invocation): void {
  const gate = program
    .command('gate')
    .description('Show how the gate decides on calls: now, in the past, or by other rules.')
  gate
    .command('check')
    .description('Read calls from standard input as JSON lines; print a verdict for each.')
    .addHelpText('after', help)
    .action(async () => {
      const { runGateCheck } = await import('./gate-check.ts')
      const servers = await configuredServers(invocation)
      invocation.exitCode = await runGateCheck(process.stdin, process.stdout, servers)
    })
  addGateExplainCommand(gate, invocation)
  addGateReplayCommand(gate, invocation)
  addGateShadow(gate, invocation)
  addGateSuggestCommand(gate, invocation)
}

/** Rules can be tried where there is no configuration that holds. */
async function configuredServers(invocation: Invocation): Promise<readonly string[]> {
  try {
    return Object.keys((await readConfiguration(invocation)).mcp)
  } catch (error) {
    if (error instanceof CommandError) return []
    throw error
  }
}

const help = `
  $ echo '{"tool":"bash","arguments":{"command":"rm -rf /"}}' | npx countersign gate check
  $ npx countersign gate check < calls.jsonl

A line holds tool and arguments. Optional:
  id            repeated in the answer
  permissions   rules to judge by, as in permissions.jsonc (else the defaults)
  server        the tool is one of this MCP server, by its own name; else mcp__server__tool
  operator      the operator's rules: {"bash": [{"pattern": "...", "action": "deny"}]}
  session       grants of Always: [{"tool": "bash", "pattern": "..."}]

Nothing is run, and no database is needed. Paths are judged in /workspace.

Exit codes: 0 every line was judged, 1 a line could not be read.`
