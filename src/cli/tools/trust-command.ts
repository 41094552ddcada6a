import { Argument, type Command } from 'commander'
import { type TrustLevel, trustLevels } from '../../domain/trust.ts'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { alignRows, plainText, print } from '../print.ts'
import type { TrustedTool } from './list-trust.ts'
import type { ChangedTrust } from './set-trust.ts'

const headings = ['TOOL', 'LEVEL', 'FAILED', 'SET BY', 'SINCE', 'REASON']

export function addTrustCommand(program: Command, invocation: Invocation): void {
  const trust = program
    .command('trust')
    .description('Show or set the trust in tools: let a tool run, always ask, or block it.')
    .addHelpText('after', help)
  addList(trust, invocation)
  addSet(trust, invocation)
}

function addList(trust: Command, invocation: Invocation): void {
  trust
    .command('list')
    .description('Show the level of every tool, who set it, and how its last executions ended.')
    .option('--json', 'JSON lines')
    .addHelpText('after', '\n  $ npx countersign trust list')
    .action(async ({ json = false }: { json?: boolean }) => {
      const config = await readConfiguration(invocation)
      const { listTrust } = await import('./list-trust.ts')
      const { environment } = invocation
      const tools = await listTrust({ config, environment, signal: interruption() })
      const lines = json ? tools.map((tool) => JSON.stringify(tool)) : trustTable(tools)
      await print(`${lines.join('\n')}\n`)
    })
}

function addSet(trust: Command, invocation: Invocation): void {
  trust
    .command('set')
    .description('Set the level of a tool, from its next call on.')
    .argument('<tool>', 'its name, such as fetch')
    .addArgument(new Argument('<level>', 'the level').choices(trustLevels))
    .option('--reason <text>', 'reason; stored with the level and in the audit')
    .addHelpText('after', setHelp)
    .action(async (tool: string, level: TrustLevel, { reason }: { reason?: string }) => {
      const config = await readConfiguration(invocation)
      const { setTrust } = await import('./set-trust.ts')
      const { environment } = invocation
      const why = reason === undefined ? {} : { reason }
      const signal = interruption()
      await print(wordsOf(await setTrust({ config, environment, tool, level, ...why, signal })))
    })
}

const setHelp = `
  $ npx countersign trust set fetch quarantined --reason "looks at odd places"

trust --help explains the levels.`

const meanings: Readonly<Record<TrustLevel, string>> = {
  trusted: 'Rules decide about its calls.',
  verified: 'Rules decide about its calls; policy may tell it from trusted ones.',
  quarantined: 'Every call of it asks a person, whatever rules say.',
  blocked: 'None of its calls runs, and models are not shown it.',
}

function wordsOf({ tool, before, level }: ChangedTrust): string {
  const change =
    before === level ? `${tool} stays ${level}.` : `${tool} is ${level}, was ${before}.`
  return `${change} ${meanings[level]}\n`
}

const help = `
  $ npx countersign trust list
  $ npx countersign trust set fetch quarantined --reason "looks at odd places"
  $ npx countersign trust set fetch trusted

Levels:
  trusted       rules decide; where every tool begins
  verified      the same; a policy rule may name it by trust_level
  quarantined   every call asks, whatever rules and grants say
  blocked       every call is refused, also one whose card is approved later

A tool that keeps failing is blocked by itself ([tools.anomaly] auto_block). Setting any
level takes that back and begins to count anew. What runs already goes on to its end.

It works while the product runs and while it does not.`

/** Lines for people, one a tool. */
function trustTable(tools: readonly TrustedTool[]): readonly string[] {
  return alignRows([headings, ...tools.map(cellsOf)])
}

function cellsOf({ tool, level, executions, failed, ...set }: TrustedTool): readonly string[] {
  const { setBy = '-', setAt, reason = '' } = set
  const since = setAt?.toISOString().slice(0, 16).replace('T', ' ') ?? '-'
  const window = executions === 0 ? '-' : `${failed} of ${executions}`
  return [tool, level, window, setBy, since, reason].map(plainText)
}
