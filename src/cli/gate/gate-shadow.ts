import { type Command, InvalidArgumentError } from 'commander'
import { shorten } from '../../util/text/shorten.ts'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { plainText, print, printError } from '../print.ts'
import { parseSince } from '../since-option.ts'
import type { ShadowedCall, ShadowReport } from './shadow-report.ts'

interface Options {
  readonly since: string
  readonly json?: true
}

export function addGateShadow(gate: Command, invocation: Invocation): void {
  gate
    .command('shadow')
    .description('Count the calls that the shadow rules would have decided differently.')
    .option(
      '--since <when>',
      'since a time (2026-11-21T10:00Z) or an age (2h, 3d)',
      checkSince,
      '7d',
    )
    .option('--json', 'each call as a line of JSON')
    .addHelpText('after', help)
    .action(async ({ since, json }: Options) => {
      const config = await readConfiguration(invocation)
      const { reportShadow } = await import('./shadow-report.ts')
      const { environment } = invocation
      const from = parseSince(since, new Date()) ?? new Date(0)
      const report = await reportShadow({
        config,
        environment,
        signal: interruption(),
        since: from,
      })
      const warnings = report.faults.map(
        (fault) => `warning: nothing is compared: ${plainText(fault)}\n`,
      )
      if (warnings.length > 0) await printError(warnings.join(''))
      await print(json === true ? jsonOf(report) : textOf(report, since))
    })
}

function checkSince(text: string): string {
  if (parseSince(text, new Date()) !== undefined) return text
  throw new InvalidArgumentError('Expected a time such as 2026-11-21T10:00Z, or an age such as 2h.')
}

function jsonOf({ differing }: ShadowReport): string {
  return differing.map((call) => `${JSON.stringify(call)}\n`).join('')
}

const longestCell = 60

/** Formats the number of differing calls by rule, most first, each with an example. */
function textOf({ decided, differing }: ShadowReport, since: string): string {
  const total = `${differing.length} of ${decided} calls since ${since} would be judged otherwise`
  const groups = [...Map.groupBy(differing, groupOf).values()].sort((a, b) => b.length - a.length)
  return `${[total, ...groups.flatMap(linesOf)].join('\n')}\n`
}

function groupOf({ tool, verdict, shadow, why }: ShadowedCall): string {
  return JSON.stringify([tool, verdict, shadow, why])
}

function linesOf(calls: readonly ShadowedCall[]): readonly string[] {
  const last = calls.at(-1)
  if (last === undefined) return []
  const { tool, verdict, shadow, why, at } = last
  const cell = (text: string) => shorten(plainText(text), longestCell)
  return [
    `${String(calls.length).padStart(6)}  ${plainText(tool)}: ${plainText(`${verdict} → ${shadow}`)}, by ${cell(why)}`,
    `        last ${at.toISOString()}  ${cell(last.arguments)}`,
  ]
}

const help = `
  $ npx countersign gate shadow
  $ npx countersign gate shadow --since 30d --json | jq -r .arguments

[tools] shadow_permissions names a file of rules by which every call is judged a second
time. They decide nothing: where their verdict differs, the audit notes it. This counts
those notes, the most frequent first: the tool, the verdict in force → the verdict of the
shadow rules, and the shadow rule that decided.

Exit codes: 0 shown, 1 the audit could not be read, 2 wrong usage or configuration.`
