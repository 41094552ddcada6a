import type { Command } from 'commander'
import type { TriedExample } from '../../rules/gate/permissions/check-examples.ts'
import type { WorkerRules } from '../../rules/gate/permissions/rule.ts'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { plainText, print } from '../print.ts'
import { readRulesFrom } from './permissions-set.ts'

interface Options {
  readonly worker?: string
}

export function addPermissionsTest(permissions: Command, invocation: Invocation): void {
  permissions
    .command('test')
    .description('Run the examples in the comments of the rules.')
    .argument('[file]', 'a file with rules (else those that count now)')
    .option('--worker <name>', 'worker whose rules are meant (default: the configured one)')
    .addHelpText('after', help)
    .action(async (file: string | undefined, { worker }: Options) => {
      const text =
        file === undefined ? await presentText(invocation, worker) : await readRulesFrom(file)
      invocation.exitCode = await tryText(text)
    })
}

async function presentText(invocation: Invocation, worker: string | undefined): Promise<string> {
  const config = await readConfiguration(invocation)
  const { showPermissions } = await import('./show-permissions.ts')
  const { environment } = invocation
  const view = await showPermissions({ config, environment, signal: interruption() }, worker)
  return view.text
}

/** Prints a line for each example; returns the exit code. */
async function tryText(text: string): Promise<number> {
  const { parsePermissions } = await import('../../rules/gate/permissions/parse-permissions.ts')
  const { tryExamples } = await import('../../rules/gate/permissions/check-examples.ts')
  const { usualWorkspace: home } = await import('../../rules/gate/permissions/check-rules.ts')
  const worker = parsePermissions(text, { home })
  const lines = linesOf(worker, tryExamples(worker, home))
  const wrong = lines.filter(({ level }) => level === 'fail').length
  const count = lines.filter(({ level }) => level !== 'warn').length
  const verdict = worker.kind === 'damaged' ? 'damaged' : `${count} examples, ${wrong} wrong`
  const shown = lines.map(({ level, line, words }) => `${level}  ${line}: ${plainText(words)}`)
  await print(`${[...shown, verdict].join('\n')}\n`)
  return worker.kind === 'damaged' || wrong > 0 ? 1 : 0
}

interface Line {
  readonly level: 'ok  ' | 'fail' | 'warn'
  readonly line: number
  readonly words: string
}

function linesOf(worker: WorkerRules, tried: readonly TriedExample[]): readonly Line[] {
  if (worker.kind === 'damaged') {
    return worker.problems.map(({ line, message }) => ({ level: 'fail', line, words: message }))
  }
  const lines: readonly Line[] = [
    ...(worker.notes ?? []).map(
      ({ line, message }) => ({ level: 'warn', line, words: message }) as const,
    ),
    ...(worker.failed ?? []).map(
      ({ line, message }) => ({ level: 'fail', line, words: message }) as const,
    ),
    ...tried.map(toLine),
  ]
  return [...lines].sort((a, b) => a.line - b.line)
}

function toLine({ example: { line, text, claim }, fault }: TriedExample): Line {
  if (fault !== undefined) return { level: 'fail', line, words: fault }
  const words = claim.kind === 'verdict' ? claim.action : claim.kind
  return { level: 'ok  ', line, words: `${words}: ${text}` }
}

const help = `
  $ npx countersign permissions test
  $ npx countersign permissions test rules/build.jsonc

Above or beside a rule:
  // match: git push origin main       this rule matches it, or a command in it
  // no match: git status              this rule does not
Also for all rules together, as the gate would say it of the tool they stand at:
  // allow: git status                 // ask: curl example.org     // deny: rm -rf /

Examples are tried whenever rules are read: while one does not hold, all that is not
denied asks. Paths start at /workspace. A file needs no configuration and no database.

Exit codes: 0 all hold, 1 one does not, or the rules are damaged, 2 wrong usage or
configuration.`
