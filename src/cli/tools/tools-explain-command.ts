import type { Command } from 'commander'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { print, printError } from '../print.ts'

interface Options {
  readonly json?: true
  readonly after: readonly string[]
  readonly worker?: string
  readonly session?: string
}

export function addToolsExplainCommand(tools: Command, invocation: Invocation): void {
  tools
    .command('explain')
    .argument('[message]', 'what a person might write')
    .description(
      'Show which tools a model gets for a message and why, or how well models use them.',
    )
    .option('--after <tools>', 'tools to treat as succeeded, separated by commas', toNames, [])
    .option('--worker <name>', 'worker whose rules apply (default: the configured one)')
    .option('--session <id>', 'session whose past calls count')
    .option('--json', 'JSON lines')
    .addHelpText('after', help)
    .action(async (message: string | undefined, options: Options) => {
      const lines = await (message === undefined
        ? standings(options, invocation)
        : shownFor(message, options, invocation))
      if (lines.length > 0) await print(`${lines.join('\n')}\n`)
    })
}

function toNames(written: string): readonly string[] {
  return written.split(',').map((name) => name.trim())
}

async function standings({ json }: Options, invocation: Invocation): Promise<readonly string[]> {
  const config = await readConfiguration(invocation)
  const { listToolReliability } = await import('./reliability-table.ts')
  const { reliabilityTable } = await import('./reliability-table.ts')
  const { environment } = invocation
  const found = await listToolReliability({ config, environment, signal: interruption() })
  return json === true ? found.map((one) => JSON.stringify(one)) : reliabilityTable(found)
}

async function shownFor(
  message: string,
  { json, after, worker, session }: Options,
  invocation: Invocation,
): Promise<readonly string[]> {
  const config = await readConfiguration(invocation)
  const { explainMessage } = await import('./explain-message.ts')
  const { explainedTools, unseenLines } = await import('./explained-tools.ts')
  const explained = await explainMessage({
    config,
    environment: invocation.environment,
    message,
    after,
    ...(worker !== undefined && { worker }),
    ...(session !== undefined && { session }),
    signal: interruption(),
  })
  if (json !== true) return explainedTools(explained)
  const notSeen = unseenLines(explained)
  if (notSeen.length > 0) await printError(`${notSeen.join('\n')}\n`)
  return explained.tools.map((tool) => JSON.stringify(tool))
}

const help = `
  $ npx countersign tools explain
  $ npx countersign tools explain 'rename the config files'
  $ npx countersign tools explain --after read,grep --json 'now change it'

With a message: one line a tool. SHOWN says whether a model that is given the message is shown it,
WHY by what reason. SCORE is how near it is to the message where embeddings compare them, NEEDS what
must succeed before it (or only makes it likelier: ~), COMPLEXITY how hard its arguments are; with a
* the model is asked to think first. It calls no tool and no model; where [model] embedding_name is
set, the message goes to that provider.

Without: STANDING is the share of a model's calls of a tool that were asked rightly. It begins at
100 % and falls with each call of a tool that does not exist, or whose arguments do not fit. What
servers, networks, rules or people do to a call says nothing of the model.

It works while the product runs and while it does not.`
