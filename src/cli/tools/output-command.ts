import type { Command } from 'commander'
import type { Invocation } from '../invocation.ts'
import { addOutputFilterCommand } from './output-filter-command.ts'
import { addOutputScanCommand } from './output-scan-command.ts'

/** What becomes of the output of tools before a model is shown it. */
export function addOutputCommand(program: Command, invocation: Invocation): void {
  const output = program
    .command('output')
    .description('Try what a model would see of a text that a tool printed.')
  addOutputFilterCommand(output, invocation)
  addOutputScanCommand(output, invocation)
}
