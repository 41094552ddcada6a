import { stat } from 'node:fs/promises'
import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import { flagArgument, textArgument } from '../arguments.ts'
import type { Call } from '../call.ts'
import { findProgram } from '../find-program.ts'
import { fail } from '../refusal.ts'
import { assertGlobs } from './assert-globs.ts'
import { assertUnchangedPrograms, previewPrograms } from './program-files.ts'
import { refuseCommand } from './refuse-command.ts'
import { runBackground } from './run-background.ts'
import { runProgram } from './run-program.ts'
import { toShellOutcome } from './shell-outcome.ts'

/** The tool `bash` (BASH-01…04, -08). */
export async function runBash(call: Call): Promise<ExecutorOutcome> {
  const { request, surroundings } = call
  const command = textArgument(request, 'command')
  if (command.includes('\0')) fail('invalid_parameters', 'command: must not hold a NUL character')
  const refused = refuseCommand(command, request.rules, surroundings.refuses)
  if (refused !== undefined) fail('policy_blocked', refused)
  // Only bash: the gate judged the command by bash's grammar, and another shell may read it otherwise.
  await assertWorkspace(request.rules.workspace)
  if (request.preview === true) return previewPrograms(request)
  await assertUnchangedPrograms(request)
  await assertGlobs(request)
  const bash = await findProgram('bash', surroundings.path)
  if (bash === undefined)
    fail('permanent_failure', 'There is no bash in this box, so no command can run')
  if (flagArgument(request, 'background') === true) return runBackground(call, bash, command)
  const program = { file: bash, args: ['-c', command], directory: request.rules.workspace }
  return toShellOutcome(await runProgram(call, program), surroundings.hasNetwork)
}

async function assertWorkspace(workspace: string): Promise<void> {
  const isThere = await stat(workspace).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isThere) fail('permanent_failure', 'The workspace directory is missing')
}
