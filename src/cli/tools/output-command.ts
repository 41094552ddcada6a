import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { print, printError } from '../print.ts'
import { addOutputFilterCommand } from './output-filter-command.ts'

const help = `
  $ npx countersign output scan < server.log
  $ kubectl get secret -o yaml | npx countersign output scan > shown.yaml

Standard error names each secret that was found: kind, line and column of the text as it came in, never
the secret. The configuration counts, with [tools.filters.security] extra_patterns. Nothing is stored.

Exit codes: 0 always, whether or not something was found; 2 the configuration is wrong.`

/** Adds commands that show how tool output is processed before a model sees it. */
export function addOutputCommand(program: Command, invocation: Invocation): void {
  const output = program
    .command('output')
    .description('Try the filters and the redaction on a text.')
  addOutputFilterCommand(output, invocation)
  addOutputScanCommand(output, invocation)
}

function addOutputScanCommand(output: Command, invocation: Invocation): void {
  output
    .command('scan')
    .description('Read a text from standard input; print it with its secrets redacted.')
    .addHelpText('after', help)
    .action(async () => {
      const config = await readConfiguration(invocation)
      const { createProductRedactor, extraShapes } = await import(
        '../../app/logs/create-product-redactor.ts'
      )
      const { scanOutput } = await import('./scan-output.ts')
      const redactor = createProductRedactor(config)
      const scanned = scanOutput(await text(process.stdin), redactor)
      for (const { number, why } of extraShapes(config).skipped) {
        await printError(`pattern ${number} of extra_patterns is not used: it ${why}\n`)
      }
      await printError(scanned.report)
      await print(scanned.text)
    })
}
