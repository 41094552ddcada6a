import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { print } from '../print.ts'
import { addToolsExplainCommand } from './tools-explain-command.ts'

interface RunOptions {
  readonly workspace: string
  readonly allowed: readonly string[]
  readonly denyRead: readonly string[]
  readonly allowRead: readonly string[]
  readonly driver?: string
}

export function addToolsCommand(program: Command, invocation: Invocation): void {
  const tools = program
    .command('tools')
    .description('List tools, run them in a box, or show which ones a model gets.')
  tools
    .command('list')
    .description('List every built-in tool.')
    .option('--json', 'JSON lines, with the schema that models get')
    .addHelpText('after', listHelp)
    .action(async ({ json }: { json?: true }) => {
      const { listTools } = await import('./tools-list.ts')
      await print(listTools(json === true))
    })
  tools
    .command('run')
    .description('Read calls from standard input as JSON lines; run each in a box.')
    .requiredOption('--workspace <dir>', 'directory in which tools work; created if missing')
    .option('--allowed <dir...>', 'further directories that tools may use', [])
    .option('--deny-read <glob...>', 'globs that tools may not read', [])
    .option('--allow-read <glob...>', 'exceptions to --deny-read, or further readable paths', [])
    .addOption(
      new Option('--driver <name>', 'the sandbox').choices([
        'auto',
        'bubblewrap',
        'docker',
        'process',
      ]),
    )
    .addHelpText('after', help)
    .action(async (options: RunOptions) => {
      const environment = invocation.environment.with(toVariables(options, invocation.cwd))
      const config = await readConfiguration({ ...invocation, environment })
      const { openToolRunner } = await import('./open-tool-runner.ts')
      const { runToolLines } = await import('./tools-run.ts')
      await using runner = await openToolRunner({ config, environment })
      invocation.exitCode = await runToolLines(process.stdin, process.stdout, runner)
    })
  addToolsExplainCommand(tools, invocation)
}

/** Passes options as configuration, so that they are validated the same way. */
function toVariables(options: RunOptions, cwd: string): Readonly<Record<string, string>> {
  const { allowed, denyRead, allowRead, driver } = options
  const workspace = resolve(cwd, options.workspace)
  const directories = [workspace, ...allowed.map((path) => resolve(cwd, path))]
  return {
    COUNTERSIGN_WORKER_WORKSPACE: workspace,
    ...(allowed.length === 0 ? {} : toEverybody(directories)),
    ...(denyRead.length === 0 ? {} : { COUNTERSIGN_TOOLS_FILE_DENY_READ: list(denyRead) }),
    ...(allowRead.length === 0 ? {} : { COUNTERSIGN_TOOLS_FILE_ALLOW_READ: list(allowRead) }),
    ...(driver === undefined ? {} : { COUNTERSIGN_SANDBOX_DRIVER: driver }),
  }
}

/** Sets directories for file tools and commands alike. */
function toEverybody(directories: readonly string[]): Readonly<Record<string, string>> {
  const paths = list(directories)
  return {
    COUNTERSIGN_TOOLS_FILE_ALLOWED_PATHS: paths,
    COUNTERSIGN_TOOLS_SHELL_ALLOWED_PATHS: paths,
  }
}

function list(values: readonly string[]): string {
  return JSON.stringify(values)
}

const listHelp = `
  $ npx countersign tools list
  $ npx countersign tools list --json | jq -r 'select(.mutating) | .name'`

const help = `
  $ echo '{"tool":"read","arguments":{"path":"README.md"}}' | npx countersign tools run --workspace .
  $ npx countersign tools run --workspace /tmp/try --deny-read '*.env' --driver bubblewrap < calls.jsonl

A line holds tool and arguments, and an id if you like. Each is run in the order of the lines, in one
box (commands in another where the configuration lets them reach other places), and answered by one
line: {id, ok, output, error: {category, message}, envelope}; error when it failed, envelope for
commands. Nobody is asked and no rule is looked at: whatever a line says is done.

Exit codes: 0 every line was run, however it ended, 1 a line could not be read, 2 wrong usage or
configuration.`
