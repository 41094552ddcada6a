import { buffer } from 'node:stream/consumers'
import { type Command, InvalidArgumentError } from 'commander'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { print, printError } from '../print.ts'

interface FilterOptions {
  readonly command: string
  readonly exitCode: number
}

/** Adds `countersign output filter`, which shows what a model would see of a command's output. */
export function addOutputFilterCommand(output: Command, invocation: Invocation): void {
  output
    .command('filter')
    .description('Read a command’s output from standard input; print what a model would see.')
    .requiredOption('--command <command>', 'command line that printed it')
    .option('--exit-code <number>', 'exit code of the command', toExitCode, 0)
    .addHelpText('after', help)
    .action(async (options: FilterOptions) => {
      const config = await readConfiguration(invocation)
      const { previewOutput } = await import('./preview-output.ts')
      const raw = (await buffer(process.stdin)).toString('utf8')
      const seen = await previewOutput(config, raw, options)
      await print(seen.text)
      await printError(seen.remarks.map((line) => `${line}\n`).join(''))
    })
}

function toExitCode(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It is a number from 0 to 255.')
  return Number(text)
}

const help = `
  $ cargo test 2>&1 | npx countersign output filter --command 'cargo test'
  $ npx countersign output filter --command 'make -j4' --exit-code 2 < build.log

The text goes the way of all output: control sequences and secrets are taken out, the filters of the
configuration are applied, and what is too long is cut. Statistics, and rules of filters.toml that
cannot be used, are told on standard error.`
