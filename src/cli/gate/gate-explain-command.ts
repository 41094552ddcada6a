import type { Command } from 'commander'
import type { Action } from '../../domain/verdict.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { oneLineJson, print } from '../print.ts'
import type { ExplainedCall } from './explain-call.ts'
import type { Paint } from './explain-text.ts'

interface Options {
  readonly tool: string
  readonly path?: string
  readonly url?: string
  readonly arguments?: string
  readonly worker?: string
  readonly session?: string
  readonly caller?: string
  readonly json?: true
}

export function addGateExplainCommand(gate: Command, invocation: Invocation): void {
  gate
    .command('explain')
    .argument('[command]', 'what bash would be given')
    .description('Explain how a call would be decided now, by which rules, and why.')
    .option('--tool <name>', 'the tool', 'bash')
    .option('--path <path>', 'path, for read, write, edit and other file tools')
    .option('--url <url>', 'address, for fetch and web_scrape')
    .option('--arguments <json>', 'all arguments, as a JSON object')
    .option('--worker <name>', 'worker whose rules apply (default: the configured one)')
    .option('--session <id>', 'session whose grants apply')
    .option('--caller <id>', 'person who asks, such as console:ada')
    .option('--json', 'the result as one JSON object')
    .addHelpText('after', help)
    .action(async (command: string | undefined, options: Options) => {
      const call = await explained(command, options, invocation)
      invocation.exitCode = exitCodes[call.verdict.action]
      if (options.json === true) return await print(`${oneLineJson(call)}\n`)
      const { explainText } = await import('./explain-text.ts')
      await print(explainText(call, painter(invocation)))
    })
}

const exitCodes: Readonly<Record<Action, number>> = { allow: 0, ask: 3, deny: 4 }

async function explained(
  command: string | undefined,
  options: Options,
  invocation: Invocation,
): Promise<ExplainedCall> {
  const config = await readConfiguration(invocation)
  const { explainCall } = await import('./explain-call.ts')
  const { toolFinder } = await import('../../rules/tools/presumed-tool.ts')
  const spec = toolFinder(Object.keys(config.mcp))(options.tool)
  const { tool, worker, session, caller } = options
  return await explainCall({
    config,
    environment: invocation.environment,
    tool,
    arguments: options.arguments ?? argumentsOf(spec, command, options),
    ...(worker !== undefined && { worker }),
    ...(session !== undefined && { session }),
    ...(caller !== undefined && { caller }),
  })
}

/** What rules are matched against and is not given is left out, so that the tool says what it lacks; the rest is filled in. */
function argumentsOf(
  spec: ToolSpec | undefined,
  command: string | undefined,
  { path, url }: Options,
): string {
  return JSON.stringify({ ...(spec && irrelevantArguments(spec)), command, path, url })
}

/** A text for every argument that a call must have and that no rule is matched against. */
function irrelevantArguments(spec: ToolSpec): Readonly<Record<string, string>> {
  const { ruledBy, paths = [] } = spec
  const ruled = new Set(paths.map(({ argument }) => argument))
  if (ruledBy !== undefined && 'argument' in ruledBy) ruled.add(ruledBy.argument)
  const names = Object.entries(spec.schema.shape)
    .filter(([name]) => !ruled.has(name))
    .filter(([name, type]) => !type.safeParse(undefined).success && type.safeParse(name).success)
    .map(([name]) => [name, name])
  return Object.fromEntries(names)
}

const colours: Readonly<Record<Action, number>> = { allow: 32, ask: 33, deny: 31 }

function painter({ environment }: Invocation): Paint {
  const hasColours = process.stdout.isTTY === true && !environment.noColor
  return (action, text) => (hasColours ? `\u001b[${colours[action]}m${text}\u001b[0m` : text)
}

const help = `
  $ npx countersign gate explain 'git push origin main && npm test'
  $ npx countersign gate explain --tool read --path .env
  $ npx countersign gate explain --tool fetch --url https://example.com/
  $ npx countersign gate explain --tool move_path --arguments '{"source":"a","destination":"b"}'
  $ npx countersign gate explain --json 'rm -rf build' | jq .verdict.trace

It judges by the rules as they are now: the operator's in the configuration, the worker's,
and the grants of the session that --session names. The first line says what would
happen. Then: each command as it was understood, each rule that matches, layer by layer,
the one that decides and why, what else was noticed, and what Always would add.

Nothing is run. Where the database cannot be reached it uses the rules that are in files, and
says which facts are missing. To try rules that are in no file yet, use gate check.

Exit codes: 0 it would run, 3 it would ask, 4 it would be refused, 1 it failed,
2 wrong usage or configuration.`
