import { type Command, InvalidArgumentError } from 'commander'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { oneLineJson, print } from '../print.ts'
import { sinceOption } from '../since-option.ts'

interface Options {
  readonly since: Date
  readonly min: number
  readonly worker?: string
  readonly json?: true
}

export function addGateSuggestCommand(gate: Command, invocation: Invocation): void {
  gate
    .command('suggest')
    .description('Propose rules for calls that were always approved.')
    .addOption(sinceOption('30d'))
    .option('--min <count>', 'minimum number of approvals', toCount, 5)
    .option('--worker <name>', 'worker to propose rules for (default: the configured one)')
    .option('--json', 'the proposals as one JSON object')
    .addHelpText('after', help)
    .action(async ({ since, min, worker, json }: Options) => {
      const config = await readConfiguration(invocation)
      const { environment } = invocation
      const { suggestRules } = await import('./suggest-rules.ts')
      const named = worker === undefined ? {} : { worker }
      const asked = { config, environment, since, min, signal: interruption(), ...named }
      const suggestions = await suggestRules(asked)
      if (json === true) return await print(`${oneLineJson(suggestions)}\n`)
      const { suggestionsText } = await import('./suggestions-text.ts')
      await print(suggestionsText(suggestions))
    })
}

const mostCount = 1_000_000

function toCount(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 2 && count <= mostCount) return count
  throw new InvalidArgumentError(`Expected a whole number from 2 to ${mostCount}.`)
}

const help = `
  $ npx countersign gate suggest
  $ npx countersign gate suggest --since 90d --min 10 > proposed.jsonc
  $ npx countersign gate replay --rules merged.jsonc

It reads the audit for questions that people always answered with Approve, and prints
rules that would have spared them, as text for a permissions.jsonc, with who approved
what, how often. It changes nothing: copy what you agree with.

The narrowest rule is proposed: exactly the command, file or address; a pattern only
where several different ones like it were approved. Never for what destroys, runs other
programs or code, writes over the network or names a place outside the workspace, nor
where anything was ever refused, by a person or a rule, that it would let run. Each
stands under a "// granted" comment: it turns ask into allow, never deny into allow.

Exit codes: 0 printed, also when there is nothing to propose, 1 the audit could not be
read, 2 wrong usage or configuration.`
